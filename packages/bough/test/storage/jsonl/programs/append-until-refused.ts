import { argv, stdout } from "node:process";
import { isBoughError } from "../../../../src/errors.ts";
import { JsonlLog } from "../../../../src/storage/jsonl/jsonl-log.ts";
import { recordOf } from "../../../../src/testing/log-case.ts";

const [path, prefix, size] = argv.slice(2) as [string, string, string];
const log = JsonlLog.open(path, { durability: "turn" });
const known = log.changes().heads;
const acked: string[] = [];
for (let index = 0; ; index++) {
  const message = { role: "user", content: "x".repeat(Number(size)), timestamp: 0 } as const;
  const entry = { type: "message", id: `${prefix}-${index}`, parentId: null, timestamp: "t", message } as const;
  const { outcomes } = log.append([[recordOf(entry)]]);
  const [outcome] = outcomes;
  if (outcome?.status === "stored") acked.push(entry.id);
  if (outcome?.status !== "failed") continue;
  if (!isBoughError(outcome.error)) throw outcome.error;
  const { code, details } = outcome.error;
  const isReadable = known.length === 0 || log.read([known[0]?.position ?? 0])[0]?.id === known[0]?.id;
  stdout.write(JSON.stringify({ acked, code, details, isReadable }));
  break;
}
log.close();
