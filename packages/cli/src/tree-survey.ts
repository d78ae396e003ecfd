import type { EntryHead, Session, SessionTreeEntry } from "bough";
import {
  describeEntry,
  describeToolCall,
  isShown,
  matcherOf,
  type OutlineFilter,
  type Reticence,
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
  /** To be shown whatever filter and search say. */
  readonly always: ReadonlySet<string>;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** What each entry that is to be seen says, in one line. Reads the bodies it needs once, in log order, and keeps the lines. */
export async function surveyTree(session: Session, options: SurveyOptions): Promise<ReadonlyMap<string, string>> {
  const tree = await session.readTree();
  const { filter, among, always } = options;
  const matches = matcherOf(options.search);
  const lines = new Map<string, string>();
  const isWanted = (head: EntryHead, reticence?: Reticence) => {
    const isLeaf = head.id === session.leafId;
    const isLabeled = tree.labelOf(head.id) !== undefined;
    return (among?.has(head.id) ?? true) && isShown(filter, { head, reticence, isLeaf, isLabeled });
  };
  const calls = new CallBook([...tree.heads()]);
  const heads = calls.withReplies((head) => always.has(head.id) || isWanted(head));
  // One line of an entry is its beginning; a search looks at all of it.
  const use = options.search === "" ? "shape" : "content";
  let done = 0;
  for await (const [head, entry] of bodiesOf(session, heads, use)) {
    if (++done % 1000 === 0) {
      options.progress.report(`reading entries: ${done} of ${heads.length}`);
      options.signal.throwIfAborted();
    }
    calls.enter(entry);
    const isFound = options.search === "" || matches(searchableText(entry, tree.labelOf(head.id)));
    if (!always.has(head.id) && !(isFound && isWanted(head, reticenceOf(entry)))) continue;
    lines.set(head.id, describeEntry(entry, { call: calls.answeredBy(entry) }));
  }
  options.progress.done();
  return lines;
}

/** Which call a tool result answers: that of the nearest reply above it, whose calls are kept as short lines. */
class CallBook {
  /** In log order. */
  readonly #heads: readonly EntryHead[];
  /** Of replies, and of the tool results below them, the id of the reply. */
  readonly #replies = new Map<string, string>();
  readonly #calls = new Map<string, ReadonlyMap<string, string>>();

  constructor(heads: readonly EntryHead[]) {
    this.#heads = heads;
    for (const { id, parentId, role } of heads) {
      const reply = role === "assistant" ? id : role === "toolResult" && this.#replies.get(parentId ?? "");
      if (reply) this.#replies.set(id, reply);
    }
  }

  /** The heads that are wanted, and those of the replies that tool results among them answer. */
  withReplies(isWanted: (head: EntryHead) => boolean): readonly EntryHead[] {
    const wanted = this.#heads.filter(isWanted);
    const ids = new Set(wanted.flatMap(({ id }) => [id, this.#replies.get(id) ?? id]));
    return this.#heads.filter(({ id }) => ids.has(id));
  }

  enter(entry: SessionTreeEntry): void {
    const calls = entry.type === "message" ? toolCallsOf(entry.message) : [];
    if (calls.length > 0) this.#calls.set(entry.id, new Map(calls.map((call) => [call.id, describeToolCall(call)])));
  }

  answeredBy(entry: SessionTreeEntry): string | undefined {
    if (entry.type !== "message" || entry.message.role !== "toolResult") return undefined;
    const reply = this.#replies.get(entry.id);
    return reply === undefined ? undefined : this.#calls.get(reply)?.get(entry.message.toolCallId);
  }
}
