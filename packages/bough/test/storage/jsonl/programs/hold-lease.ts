import { acquireLease } from "../../../../src/storage/jsonl/lease.ts";

const [file, id, platform] = process.argv.slice(2) as [string, string, string];
try {
  await acquireLease({ file, id, doing: "chat" }, platform);
  process.stdout.write("held\n");
} catch (error) {
  process.stdout.write(`${(error as { code: string }).code}\n`);
}
process.stdin.resume();
