import { once } from "node:events";
import { writeSync } from "node:fs";
import { argv, stdin, stdout } from "node:process";
import type { EntryRecord } from "../../../../src/session/entry-log.ts";
import { JsonlLog } from "../../../../src/storage/jsonl/jsonl-log.ts";

const [path, prefix, smallest, largest] = argv.slice(2) as [string, string, string, string];
const filler = "0123456789abcdef".repeat(Number(largest) / 16);
let made = 0;

function record(): EntryRecord {
  const size = Math.round(Number(smallest) + (Number(largest) - Number(smallest)) * Math.random());
  const message = { role: "user", content: "", timestamp: size } as const;
  const head = { type: "message", id: `${prefix}-${made++}`, parentId: null, timestamp: "t" } as const;
  // Not stringified, so that most of the time passes inside of writes.
  const json = JSON.stringify({ ...head, message }).replace('""', () => `"${filler.slice(0, size)}"`);
  return { head, entry: { ...head, message }, json };
}

// Started ahead of its turn: it begins when its standard input ends.
await once(stdin.resume(), "end");
const log = JsonlLog.open(path, { durability: "process" });
log.changes();
for (;;) {
  const batch = Array.from({ length: 1 + Math.floor(Math.random() * 8) }, record);
  const { outcomes } = log.append([batch]);
  if (outcomes[0]?.status !== "stored") throw new Error(JSON.stringify(outcomes));
  writeSync(stdout.fd, batch.map(({ entry }) => `${entry.id}\n`).join(""));
}
