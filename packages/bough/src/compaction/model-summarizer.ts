import type { Usage } from "../entry/usage.ts";
import { addedUsage } from "../entry/usage.ts";
import type { Summarizer, SummaryModel, SummaryReply } from "./summarizer.ts";
import { summaryPrompts } from "./summary-prompt.ts";
import { replyFault, replyText } from "./verify-summary.ts";

/** A summariser that asks a model in bough's words: at once for whole turns and for the turn that is cut, if both are. */
export function modelSummarizer(ask: SummaryModel): Summarizer {
  return async (request, signal) => {
    const prompts = summaryPrompts(request);
    const replies = await Promise.all(prompts.map((prompt) => ask(prompt, signal)));
    const usage = usageOf(replies);
    const bad = replies.find((reply) => replyFault(reply) !== undefined);
    if (bad) return { ...bad, ...usage };
    const parts = replies.map(replyText);
    if (prompts[0]?.part === "turn" && request.previousSummary !== undefined) parts.unshift(request.previousSummary);
    return { content: joinedParts(parts), stopReason: "stop", ...usage };
  };
}

/** The note about a turn under way stands below the one about what was before. */
export function joinedParts([history = "", turn]: readonly string[]): string {
  return turn === undefined ? history : `${history}\n\n---\n\n# The turn under way\n\n${turn}`;
}

function usageOf(replies: readonly SummaryReply[]): { readonly usage?: Usage } {
  const known = replies.flatMap((reply) => reply.usage ?? []);
  return known.length === 0 ? {} : { usage: known.reduce(addedUsage) };
}
