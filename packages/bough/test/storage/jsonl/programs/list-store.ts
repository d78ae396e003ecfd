import type { SessionListing } from "../../../../src/session/session-store.ts";
import { JsonlStore } from "../../../../src/storage/jsonl/jsonl-store.ts";

const [root] = process.argv.slice(2) as [string];
const listings: SessionListing[] = [];
let doneAtFirst = 0;
let total = 0;
const onProgress = (done: number, of: number) => {
  if (listings.length === 0) doneAtFirst = done;
  total = of;
};
for await (const listing of new JsonlStore({ root, durability: "process" }).list({ onProgress }))
  listings.push(listing);
const { maxRSS } = process.resourceUsage();
process.stdout.write(JSON.stringify({ listings, doneAtFirst, total, peakMegabytes: maxRSS / 1024 }));
