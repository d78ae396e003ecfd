import cluster from "node:cluster";
import { once } from "node:events";
import { tryAcquireLease } from "../../../../src/storage/jsonl/lease.ts";

/** Two workers of a cluster want one lease, one after the other. */
const [file] = process.argv.slice(2) as [string];
if (cluster.isPrimary) {
  const answers: unknown[] = [];
  for (let worker = 0; worker < 2; worker++) {
    const [answer] = await once(cluster.fork(), "message");
    answers.push(answer);
  }
  process.stdout.write(JSON.stringify(answers));
  process.exit();
} else {
  process.send?.(tryAcquireLease({ file, id: "s1", doing: "test" }) !== undefined);
  setInterval(() => undefined, 1000);
}
