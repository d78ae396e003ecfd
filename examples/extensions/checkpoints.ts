/** Labels every tool run: `@checkpoint-3` names the place right after the third one of the session. */
import type { ExtensionAPI } from "@bough/harness";

export default function checkpoints(api: ExtensionAPI): void {
  let count = 0;

  // An extension runs anew for every session, so that this counts in one session only.
  api.on("session_start", (_, { sessionManager }) => {
    const labels = sessionManager.getEntries().map(({ id }) => sessionManager.getLabel(id));
    count = labels.filter((label) => label?.startsWith("checkpoint-")).length;
  });

  api.on("tool_execution_end", async ({ entryId, isError }) => {
    if (!isError) await api.setLabel(entryId, `checkpoint-${++count}`);
  });
}
