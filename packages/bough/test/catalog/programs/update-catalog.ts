/** Brings a catalog up to date, lists and, with a query, searches; says so when it begins and what it found at the end. */
import { Catalog, fileSource } from "../../../src/catalog/index.ts";

const [root = "", file = "", query = ""] = process.argv.slice(2);
const catalog = Catalog.open({ file, sources: [fileSource({ name: "bough", root })] });
process.stdout.write("begun\n");
let calls = 0;
await catalog.update({
  onProgress: () => {
    calls++;
  },
});
const { sessions } = await catalog.list();
const hits = query === "" ? [] : (await catalog.search(query)).hits;
const { maxRSS } = process.resourceUsage();
process.stdout.write(
  `${JSON.stringify({ sessions: sessions.length, first: sessions[0], hits: hits.length, calls, peakMegabytes: maxRSS / 1024 })}\n`,
);
catalog.close();
