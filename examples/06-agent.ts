/** An agent with a tool, a hook that guards it, and words put in while it works; the model is scripted. */
import { AgentHarness, type HarnessTool } from "@bough/harness";
import { createModels, fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai";
import { MemoryRepo } from "bough/memory";

const script = fauxProvider();
script.setResponses([
  fauxAssistantMessage([fauxToolCall("remove", { path: "draft.md" }), fauxToolCall("remove", { path: "thesis.md" })]),
  fauxAssistantMessage("The draft is gone, the thesis is safe."),
  fauxAssistantMessage("Nothing else."),
]);
const models = createModels();
models.setProvider(script.provider);

const remove: HarnessTool = {
  name: "remove",
  label: "Remove a file",
  description: "Removes a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  replay: "safe",
  execute: async (_, { path }) => {
    await harness.steer("Anything else?");
    return { content: [{ type: "text", text: `${path} removed` }], details: undefined };
  },
};

const session = await new MemoryRepo().create();
const harness = await AgentHarness.open({ session, models, model: script.getModel(), tools: [remove] });
harness.on("tool_call", ({ input }) => {
  return (input as { path: string }).path === "thesis.md" ? { block: true, reason: "not that one" } : {};
});
harness.on("tool_execution_end", ({ toolName, isError }) => console.log(toolName, isError ? "refused" : "ran"));
const outcome = await harness.prompt("Clean up.");
console.log(outcome.status);
for (const message of (await session.buildContext()).messages) {
  if (message.role === "user") console.log(">", message.content);
}
await harness.close();
