/** Compacts without a model: what stays of the start of a conversation is what the user asked for, in order. */
import type { ExtensionAPI } from "@bough/harness";
import { messageText } from "bough/outline";

export default function requestsOnly(api: ExtensionAPI): void {
  api.on("session_before_compact", ({ preparation, customInstructions }) => {
    // Whoever wants something special of a summary gets a model's.
    if (customInstructions !== undefined) return undefined;
    const { previousSummary, messagesToSummarize, turnPrefixMessages } = preparation;
    const requests = [...messagesToSummarize, ...turnPrefixMessages].filter(({ role }) => role === "user");
    const lines = requests.map((message) => `- ${messageText(message).replaceAll(/\s+/g, " ").slice(0, 200)}`);
    const summary = [previousSummary ?? "## Requests so far", ...lines].join("\n");
    return { compaction: { summary, details: { requests: lines.length } } };
  });

  api.on("session_compact", ({ compactionEntry, fromExtension }, ctx) => {
    if (fromExtension) ctx.ui.notify(`Compacted ${compactionEntry.tokensBefore} tokens to the requests`);
  });
}
