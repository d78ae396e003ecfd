import { acquireLease } from "../../../../src/storage/jsonl/lease.ts";

const [file, id, platform] = process.argv.slice(2) as [string, string, string];
await acquireLease({ file, id, doing: "chat" }, platform);
process.stdout.write("held\n");
process.stdin.resume();
