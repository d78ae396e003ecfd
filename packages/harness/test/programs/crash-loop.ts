/** An agent whose tool ends the process, and a supervisor's idea of a start: says what it found, and goes on if it can. */
import { createModels, fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai";
import { JsonlRepo } from "bough/jsonl";
import { AgentHarness, type HarnessTool } from "../../src/index.ts";

const [root = "", replay = "safe"] = process.argv.slice(2);
const session = await new JsonlRepo({ root }).open("loop", { create: true });
const faux = fauxProvider();
const models = createModels();
models.setProvider(faux.provider);
const deadly = fauxAssistantMessage(fauxToolCall("deadly", {}), { stopReason: "toolUse" });
faux.setResponses(Array.from({ length: 9 }, () => deadly));
const tool: HarnessTool = {
  ...{ name: "deadly", label: "deadly", description: "", parameters: { type: "object" } },
  replay: replay as "safe" | "unsafe",
  execute: async () => {
    process.kill(process.pid, "SIGKILL");
    return await new Promise(() => undefined);
  },
};
const harness = await AgentHarness.open({ session, models, model: faux.getModel(), tools: [tool] });
process.stdout.write(harness.recovered.status);
if (harness.recovered.status === "parked") process.exit(0);
if (session.leafId === null) await harness.prompt("go");
else await harness.continue();
