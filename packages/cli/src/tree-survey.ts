import type { EntryHead, Session, SessionTreeEntry } from "bough";
import {
  describeEntry,
  describeToolCall,
  isShown,
  matcherOf,
  type OutlineFilter,
  reticenceOf,
  searchableText,
  toolCallsOf,
} from "bough/outline";
import { bodiesOf } from "./bodies.ts";
import type { Progress } from "./progress.ts";

export interface SurveyOptions {
  readonly filter: OutlineFilter;
  /** Every entry matches an empty one. */
  readonly search: string;
  /** Others are not shown; unless given, all may be. */
  readonly among?: ReadonlySet<string>;
  /** An entry to show whatever filter and search say. */
  readonly at: string | null;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** What each entry that is to be seen says, in one line. Reads every body once, in log order, and keeps the lines. */
export async function surveyTree(session: Session, options: SurveyOptions): Promise<ReadonlyMap<string, string>> {
  const tree = await session.readTree();
  const matches = matcherOf(options.search);
  const calls = new CallBook();
  const lines = new Map<string, string>();
  let done = 0;
  for await (const [head, entry] of bodiesOf(session, [...tree.heads()])) {
    if (++done % 1000 === 0) {
      options.progress.report(`reading entries: ${done} of ${tree.size}`);
      options.signal.throwIfAborted();
    }
    calls.enter(head, entry);
    const label = tree.labelOf(head.id);
    const isLeaf = head.id === session.leafId;
    const candidate = { head, reticence: reticenceOf(entry), isLeaf, isLabeled: label !== undefined };
    const isWanted =
      (options.among?.has(head.id) ?? true) &&
      isShown(options.filter, candidate) &&
      (options.search === "" || matches(searchableText(entry, label)));
    if (!isWanted && head.id !== options.at) continue;
    lines.set(head.id, describeEntry(entry, { call: calls.answeredBy(head, entry) }));
  }
  options.progress.done();
  return lines;
}

/** Which call a tool result answers: that of the nearest reply above it, whose calls are kept as short lines. */
class CallBook {
  readonly #repliesAbove = new Map<string, string>();
  readonly #calls = new Map<string, ReadonlyMap<string, string>>();

  enter(head: EntryHead, entry: SessionTreeEntry): void {
    const calls = entry.type === "message" ? toolCallsOf(entry.message) : [];
    if (calls.length > 0) {
      this.#repliesAbove.set(head.id, head.id);
      this.#calls.set(head.id, new Map(calls.map((call) => [call.id, describeToolCall(call)])));
    } else if (head.role === "toolResult" && head.parentId !== null) {
      const above = this.#repliesAbove.get(head.parentId);
      if (above !== undefined) this.#repliesAbove.set(head.id, above);
    }
  }

  answeredBy(head: EntryHead, entry: SessionTreeEntry): string | undefined {
    if (entry.type !== "message" || entry.message.role !== "toolResult") return undefined;
    const reply = this.#repliesAbove.get(head.id);
    return reply === undefined ? undefined : this.#calls.get(reply)?.get(entry.message.toolCallId);
  }
}
