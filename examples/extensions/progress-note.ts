/** Counts turns, tells the model every ten of them, and draws that as a bar. */
import type { ExtensionAPI } from "@bough/harness";

export default function progressNote(api: ExtensionAPI): void {
  let turns = 0;

  api.on("agent_start", () => {
    turns = 0;
  });

  api.on("turn_end", async () => {
    turns += 1;
    if (turns % 10 !== 0) return;
    const content = `You have taken ${turns} turns. Say in a line how far you are.`;
    await api.sendMessage(
      { customType: "progress", content, display: true, details: { turns } },
      { triggerTurn: false },
    );
  });

  api.registerMessageRenderer("progress", ({ details }, { width, expanded }, theme) => {
    const { turns: count } = details as { turns: number };
    const bar = "█".repeat(Math.min(count, Math.max(0, width - 10)));
    const line = `${theme.fg("customMessageLabel", "progress")} ${theme.fg("customMessageText", bar)}`;
    return expanded ? [line, `${count} turns`] : [line];
  });
}
