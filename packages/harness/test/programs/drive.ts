/** Drives a session until somebody ends the process. */
import { createModels } from "@earendil-works/pi-ai";
import { JsonlRepo } from "bough/jsonl";
import { AgentHarness } from "../../src/index.ts";

const [root = "", id = ""] = process.argv.slice(2);
const session = await new JsonlRepo({ root }).open(id);
await AgentHarness.open({ session, models: createModels(), doing: "answering" });
process.stdout.write("driving\n");
setInterval(() => undefined, 1000);
