import type { AgentMessage } from "../entry/message.ts";
import { addedUsage, type Usage } from "../entry/usage.ts";
import { serializeConversation } from "./conversation-text.ts";
import type { Summarizer, SummaryModel, SummaryPrompt, SummaryReply, SummaryRequest } from "./summarizer.ts";
import { summaryPrompts } from "./summary-prompt.ts";
import { textTokens } from "./token-estimate.ts";
import { replyFault, replyText } from "./verify-summary.ts";

export interface ModelSummarizerOptions {
  /**
   * How many tokens of record one request may hold; unlimited unless given. A longer history is summarised in several
   * requests, each bringing the note of the one before up to date.
   */
  readonly inputTokens?: number;
}

/** A summariser that asks a model in bough's words: for whole turns, and at the same time for a turn that is cut. */
export function modelSummarizer(
  ask: SummaryModel,
  { inputTokens = Number.POSITIVE_INFINITY }: ModelSummarizerOptions = {},
): Summarizer {
  return async (request, signal) => {
    const { history, turn } = inPieces(request, inputTokens);
    const answer = (prompt: SummaryPrompt) => ask(prompt, signal);
    const parts = await Promise.all([
      summaryOf(history, answer, inputTokens),
      turn ? summaryOf([turn], answer, inputTokens) : [],
    ]);
    const replies = parts.flat();
    const usage = usageOf(replies);
    const bad = replies.find((reply) => replyFault(reply) !== undefined);
    if (bad) return { ...bad, ...usage };
    const [before, underWay] = parts.map((part) => part.at(-1));
    const note = before ? replyText(before) : (request.previousSummary ?? "");
    return { content: underWay ? withTurn(note, replyText(underWay)) : note, stopReason: "stop", ...usage };
  };
}

interface Pieces {
  /** Each is to bring the summary of the one before up to date. */
  readonly history: readonly SummaryRequest[];
  readonly turn?: SummaryRequest;
}

function inPieces({ messages, turnPrefix, ...request }: SummaryRequest, limit: number): Pieces {
  const turns = piecesOf(turnPrefix, limit);
  const history = [...piecesOf(messages, limit), ...turns.slice(0, -1)];
  const turn = turns.at(-1);
  return {
    history: history.map((piece) => ({ ...request, messages: piece, turnPrefix: [] })),
    ...(turn && { turn: { ...request, messages: [], turnPrefix: turn } }),
  };
}

function piecesOf(messages: readonly AgentMessage[], limit: number): readonly (readonly AgentMessage[])[] {
  const pieces: AgentMessage[][] = [];
  let left = 0;
  for (const message of messages) {
    const tokens = Number.isFinite(limit) ? textTokens(serializeConversation([message]).length + 2) : 0;
    if (pieces.length === 0 || tokens > left) {
      pieces.push([]);
      left = limit;
    }
    pieces.at(-1)?.push(message);
    left -= tokens;
  }
  return pieces;
}

/** The replies to all pieces in order, up to the first that is not fit. */
async function summaryOf(
  pieces: readonly SummaryRequest[],
  ask: (prompt: SummaryPrompt) => Promise<SummaryReply>,
  recordTokens: number,
): Promise<readonly SummaryReply[]> {
  const replies: SummaryReply[] = [];
  for (const piece of pieces) {
    const last = replies.at(-1);
    const request = last ? { ...piece, previousSummary: replyText(last) } : piece;
    const [prompt] = summaryPrompts(request, { recordTokens });
    if (prompt === undefined) continue;
    const reply = await ask(prompt);
    replies.push(reply);
    if (replyFault(reply) !== undefined) break;
  }
  return replies;
}

/** The note about a turn under way stands below the one about what was before. */
function withTurn(note: string, turn: string): string {
  return `${note}\n\n---\n\n# The turn under way\n\n${turn}`.trimStart();
}

function usageOf(replies: readonly SummaryReply[]): { readonly usage?: Usage } {
  const known = replies.flatMap((reply) => reply.usage ?? []);
  return known.length === 0 ? {} : { usage: known.reduce(addedUsage) };
}
