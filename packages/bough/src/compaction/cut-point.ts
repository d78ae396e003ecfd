import type { AgentMessage } from "../entry/message.ts";
import { toolCallsOf } from "../outline/message-text.ts";

/*
 * Where a context is cut. An item is an entry with what it contributes; a cut at `n` keeps items `n` and later.
 *
 * A budget or a count of turns says where the cut would go; then it moves back to where no call is parted from its
 * result. Results that follow their call at once always hold. One that comes late, or that is still awaited while the
 * conversation went on, holds as long as keeping it costs no more than `slack` tokens: else one call that was never
 * answered would keep everything after it for ever, and the projection answers such a call either way.
 */

export interface CutItem {
  readonly messages: readonly AgentMessage[];
  readonly tokens: number;
}

/** What stays word for word: the newest tokens (or the last entry, if it alone is larger), or the newest turns. */
export type Keep = { readonly tokens: number } | { readonly turns: number };

/** How many items stand before the cut; 0 if everything is kept. */
export function cutPoint(items: readonly CutItem[], keep: Keep, slack: number): number {
  const wanted = "turns" in keep ? turnsCut(items, keep.turns) : tokensCut(items, keep.tokens);
  let cut = unparted(items, wanted, slack);
  while (cut > 0 && items[cut - 1]?.messages.length === 0) cut--;
  return cut;
}

/** The first item of the turn that a cut goes through; undefined where a turn begins at the cut, or none before it. */
export function splitTurnStart(items: readonly CutItem[], cut: number): number | undefined {
  const next = items.slice(cut).find((item) => item.messages.length > 0);
  if (next === undefined || startsTurn(next)) return undefined;
  const start = items.findLastIndex((item, index) => index < cut && startsTurn(item));
  return start === -1 ? undefined : start;
}

function tokensCut(items: readonly CutItem[], budget: number): number {
  let reached = items.length;
  let tokens = 0;
  while (reached > 0 && tokens < budget) tokens += items[--reached]?.tokens ?? 0;
  if (tokens < budget) return 0;
  if (reached === items.length) return reached;
  const next = items.findIndex((item, index) => index >= reached && mayBeFirst(item));
  return next === -1 ? Math.max(0, items.findLastIndex(mayBeFirst)) : next;
}

function turnsCut(items: readonly CutItem[], turns: number): number {
  let left = turns;
  let cut = items.length;
  while (cut > 0 && left > 0) if (startsTurn(items[--cut] as CutItem)) left--;
  return left > 0 ? 0 : cut;
}

function mayBeFirst(item: CutItem): boolean {
  const role = item.messages[0]?.role;
  return role === "assistant" || isUserLike(role);
}

function startsTurn(item: CutItem): boolean {
  return isUserLike(item.messages[0]?.role);
}

function isUserLike(role: AgentMessage["role"] | undefined): boolean {
  return role === "user" || role === "bashExecution" || role === "custom" || role === "branchSummary";
}

function unparted(items: readonly CutItem[], wanted: number, slack: number): number {
  const cost = costOfKeeping(items, wanted);
  let cut = wanted;
  for (const { start, end, isTight } of spansOf(items).toReversed()) {
    if (start < cut && cut <= end && (isTight || (cost[start] as number) <= slack)) cut = start;
  }
  return cut;
}

/** By item, the tokens from it up to `end`. */
function costOfKeeping(items: readonly CutItem[], end: number): readonly number[] {
  const cost: number[] = [];
  let tokens = 0;
  for (let index = end - 1; index >= 0; index--) {
    tokens += items[index]?.tokens ?? 0;
    cost[index] = tokens;
  }
  return cost;
}

/** No cut may go behind `start` and up to `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
  /** Whether nothing but results stands in it. */
  readonly isTight: boolean;
}

/** By where they start. */
function spansOf(items: readonly CutItem[]): readonly Span[] {
  const spans: Span[] = [];
  const waiting = new Map<string, number[]>();
  /** The last item with something else than results in it. */
  let spoken = -1;
  for (const [index, { messages }] of items.entries()) {
    for (const message of messages) {
      if (message.role === "toolResult") {
        const start = waiting.get(message.toolCallId)?.pop();
        if (start !== undefined) spans.push({ start, end: index, isTight: spoken <= start });
        continue;
      }
      spoken = index;
      for (const { id } of toolCallsOf(message)) {
        const starts = waiting.get(id);
        if (starts) starts.push(index);
        else waiting.set(id, [index]);
      }
    }
  }
  for (const start of [...waiting.values()].flat()) {
    if (isUnfinished(items[start] as CutItem)) {
      spans.push({ start, end: items.length, isTight: spoken <= start });
    }
  }
  return spans.sort((a, b) => a.start - b.start);
}

/** Calls of a reply that failed are never carried out. */
function isUnfinished({ messages }: CutItem): boolean {
  return messages.every(
    (message) => message.role !== "assistant" || !["error", "aborted"].includes(message.stopReason),
  );
}
