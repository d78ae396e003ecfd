import type { AgentMessage } from "../entry/message.ts";
import type { SummaryFault } from "../errors.ts";
import { messageText } from "../outline/message-text.ts";
import type { SummaryReply } from "./summarizer.ts";
import { textTokens } from "./token-estimate.ts";

/** A token of summary for so many summarised is the least that is believed, and never more than a few lines. */
const tokensToOne = 2000;
const enoughTokens = 40;

/** What is wrong with a summary of so many tokens of conversation; undefined if nothing is. */
export function summaryFault(reply: SummaryReply, coveredTokens: number): SummaryFault | undefined {
  const fault = replyFault(reply);
  if (fault !== undefined) return fault;
  const least = Math.min(enoughTokens, Math.floor(coveredTokens / tokensToOne));
  return textTokens(replyText(reply).length) < least ? "stub" : undefined;
}

/** What is wrong with a reply of a model, whatever it was asked to summarise. */
export function replyFault(reply: SummaryReply): SummaryFault | undefined {
  const { content, stopReason = "stop" } = reply;
  if (Array.isArray(content) && content.some((block) => block?.type === "toolCall")) return "tool_call";
  if (stopReason === "toolUse") return "tool_call";
  if (stopReason === "length") return "truncated";
  if (stopReason !== "stop") return "failed";
  return replyText(reply) === "" ? "empty" : undefined;
}

export function replyText({ content }: SummaryReply): string {
  return messageText({ role: "assistant", content } as unknown as AgentMessage)
    .trim()
    .toWellFormed();
}
