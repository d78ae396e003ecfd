import type { EntryHead } from "../entry/head.ts";

/** Tokens as providers counted them; `input` was neither read from a cache nor written to one. */
export interface UsageTotals {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** All four. */
  readonly total: number;
  /** US dollars; the known part, null if no price is known. */
  readonly cost: number | null;
}

/** Of all branches: usage of replies, summaries, tool results and side calls, what was copied by a fork included. */
export interface SessionStats {
  /** Marks included. */
  readonly entryCount: number;
  /** Entries of the type `message`, whoever speaks in them. */
  readonly messageCount: number;
  /** What models read from a cache: `tokens.cacheRead`. */
  readonly cachedTokens: number;
  /** What models read otherwise: `tokens.input` and `tokens.cacheWrite`. What they wrote is in neither. */
  readonly uncachedTokens: number;
  /** `tokens.total`: both, and what models wrote. */
  readonly totalTokens: number;
  /** US dollars; the known part, null if no price is known. */
  readonly costTotal: number | null;
  /** Replies that no usage is known of; the totals don't include them. */
  readonly unknownReplies: number;
  readonly tokens: Omit<UsageTotals, "cost">;
  /** What this session spent itself, and what it copied from the session it was forked from. */
  readonly own: UsageTotals;
  readonly inherited: UsageTotals;
}

/** Counts over all branches, kept up to date one head at a time. */
export class Statistics {
  readonly #copied: ReadonlySet<string>;
  readonly #own = new Sum();
  readonly #inherited = new Sum();
  #entries = 0;
  #messages = 0;
  #unknownReplies = 0;

  /** `copied`: the ids of entries that came along from another session. */
  constructor(copied: ReadonlySet<string>) {
    this.#copied = copied;
  }

  add(head: EntryHead): void {
    this.#count(head, 1);
  }

  remove(head: EntryHead): void {
    this.#count(head, -1);
  }

  /** The same entry, known better. */
  correct(before: EntryHead, after: EntryHead): void {
    this.#count(before, -1);
    this.#count(after, 1);
  }

  snapshot(): SessionStats {
    const own = this.#own.totals();
    const inherited = this.#inherited.totals();
    const all = Sum.of(this.#own, this.#inherited).totals();
    const { cost, ...tokens } = all;
    return {
      entryCount: this.#entries,
      messageCount: this.#messages,
      cachedTokens: all.cacheRead,
      uncachedTokens: all.input + all.cacheWrite,
      totalTokens: all.total,
      costTotal: cost,
      unknownReplies: this.#unknownReplies,
      tokens,
      own,
      inherited,
    };
  }

  #count(head: EntryHead, sign: 1 | -1): void {
    this.#entries += sign;
    if (head.type === "message") this.#messages += sign;
    if (head.role === "assistant" && head.type === "message" && !head.usage) this.#unknownReplies += sign;
    if (head.usage) (this.#copied.has(head.id) ? this.#inherited : this.#own).add(head.usage, sign);
  }
}

class Sum {
  #input = 0;
  #output = 0;
  #cacheRead = 0;
  #cacheWrite = 0;
  #cost = 0;
  #priced = 0;

  static of(...sums: readonly Sum[]): Sum {
    const total = new Sum();
    for (const sum of sums) {
      total.#input += sum.#input;
      total.#output += sum.#output;
      total.#cacheRead += sum.#cacheRead;
      total.#cacheWrite += sum.#cacheWrite;
      total.#cost += sum.#cost;
      total.#priced += sum.#priced;
    }
    return total;
  }

  add(usage: NonNullable<EntryHead["usage"]>, sign: 1 | -1): void {
    this.#input += sign * usage.input;
    this.#output += sign * usage.output;
    this.#cacheRead += sign * usage.cacheRead;
    this.#cacheWrite += sign * usage.cacheWrite;
    if (usage.cost === null) return;
    this.#cost += sign * usage.cost;
    this.#priced += sign;
  }

  totals(): UsageTotals {
    return {
      input: this.#input,
      output: this.#output,
      cacheRead: this.#cacheRead,
      cacheWrite: this.#cacheWrite,
      total: this.#input + this.#output + this.#cacheRead + this.#cacheWrite,
      cost: this.#priced === 0 ? null : this.#cost,
    };
  }
}
