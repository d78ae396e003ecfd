import { once } from "node:events";
import { argv, stdin, stdout } from "node:process";
import { JsonlLog } from "../../../../src/storage/jsonl/jsonl-log.ts";
import { recordOf } from "../../../../src/testing/log-case.ts";

/** One entry in twenty is large enough to take a while to write. */
const [path, prefix, count] = argv.slice(2) as [string, string, string];
const log = JsonlLog.open(path, { durability: "process" });
const seen = new Set(log.changes().heads.map((head) => head.id));
stdout.write("ready\n");
await once(stdin.resume(), "end");

let parentId: string | null = null;
for (let index = 0; index < Number(count); index++) {
  const size = index % 20 === 7 ? (256 << 10) + Math.floor(Math.random() * (768 << 10)) : index % 300;
  const id = `${prefix}-${index}`;
  const message = { role: "user", content: "é".repeat(size / 2), timestamp: Math.floor(size / 2) } as const;
  const entry = { type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", message } as const;
  const { outcomes, change } = log.append([[recordOf(entry)]]);
  if (outcomes[0]?.status !== "stored" || change.kind !== "grown") throw new Error(JSON.stringify(outcomes));
  for (const head of change.heads) {
    if (head.parentId !== null && !seen.has(head.parentId)) throw new Error(`${head.id} came before its parent`);
    seen.add(head.id);
  }
  if (!seen.has(id)) throw new Error(`${id} was not handed out`);
  parentId = id;
}
stdout.write(`${seen.size}\n`);
log.close();
