/** Appends to a session that others append to as well, and prints the ids that were acknowledged, one a line. */
import { asyncLog, user } from "../../../src/index.ts";
import { JsonlLog } from "../../../src/storage/jsonl/index.ts";
import { sessionOn } from "../../support/session-on.ts";

const [path = "", writer = "", count = "0", marks = ""] = process.argv.slice(2);
const session = await sessionOn(asyncLog(JsonlLog.open(path, { durability: "process" })));
const large = (index: number) => (index % 20 === 7 ? "x".repeat(256 * 1024 * (1 + (index % 4))) : "");
const first = session.leafId;
const acknowledged: string[] = [];
for (let index = 0; index < Number(count); index++) {
  const id = await session.appendMessage(user(`${writer}-${index} ${large(index)}`));
  acknowledged.push(id);
  if (marks !== "marks") continue;
  if (index % 10 === 3) await session.appendLabel(id, `${writer}-${index}`);
  if (index % 25 === 11) await session.moveTo(first);
}
await session.close();
process.stdout.write(JSON.stringify({ acknowledged, leafId: session.leafId }));
