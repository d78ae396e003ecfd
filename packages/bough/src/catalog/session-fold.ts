import type { DiagnosticCode } from "../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import type { SessionHeader } from "../entry/header.ts";
import { SummaryFold, type SummaryState } from "../session/summary-fold.ts";
import type { Positions } from "../tree/positions.ts";
import type { Leaf, SessionTree } from "../tree/session-tree.ts";
import type { CatalogSession } from "./catalog-session.ts";
import { noUsage, plus, totalsOf, type UsageSum } from "./usage-sum.ts";

/** What a fold that goes on later needs to know, as JSON can hold it. */
export interface FoldState {
  readonly summary: SummaryState;
  readonly leaf: Leaf;
  readonly entries: number;
  readonly models: readonly string[];
  readonly own: UsageSum;
  readonly inherited: UsageSum;
  readonly unknownReplies: number;
  readonly damage: Damage;
  readonly tail: readonly DiagnosticCode[];
}

type Damage = Readonly<Partial<Record<DiagnosticCode, number>>>;

/** What a catalog knows of a session as a whole, folded from its entries in log order. */
export class SessionFold {
  readonly #header: SessionHeader;
  readonly #summary: SummaryFold;
  readonly #models: Set<string>;
  readonly #damage: Map<DiagnosticCode, number>;
  #leaf: Leaf;
  #entries: number;
  #own: UsageSum;
  #inherited: UsageSum;
  #unknownReplies: number;
  /** What is wrong at the end as long as it is the end. */
  tail: readonly DiagnosticCode[];

  constructor(header: SessionHeader, state?: FoldState) {
    this.#header = header;
    this.#summary = new SummaryFold(header, state?.summary);
    this.#models = new Set(state?.models);
    this.#damage = new Map(Object.entries(state?.damage ?? {}) as [DiagnosticCode, number][]);
    this.#leaf = state?.leaf ?? null;
    this.#entries = state?.entries ?? 0;
    this.#own = state?.own ?? noUsage;
    this.#inherited = state?.inherited ?? noUsage;
    this.#unknownReplies = state?.unknownReplies ?? 0;
    this.tail = state?.tail ?? [];
  }

  get state(): FoldState {
    return {
      summary: this.#summary.state,
      leaf: this.#leaf,
      entries: this.#entries,
      models: [...this.#models],
      own: this.#own,
      inherited: this.#inherited,
      unknownReplies: this.#unknownReplies,
      damage: Object.fromEntries(this.#damage),
      tail: this.tail,
    };
  }

  /** `positions` are those of what went by, the entry itself included. */
  add(entry: SessionTreeEntry, head: EntryHead, positions: Positions): void {
    this.#summary.add(entry);
    this.#addUsage(head);
    this.#entries++;
    if (entry.type === "message") this.#addModel(entry.message as { readonly provider?: unknown; model?: unknown });
    const position = positions.ofHead(head);
    if (position !== undefined) this.#leaf = position;
  }

  addDamage(codes: readonly DiagnosticCode[]): void {
    for (const code of codes) this.#damage.set(code, (this.#damage.get(code) ?? 0) + 1);
  }

  /** Takes over what depends on the order of entries, some of which took the place of others. */
  settle({ leaf, statistics }: SessionTree): void {
    const { entryCount, own, inherited, unknownReplies } = statistics.snapshot();
    this.#leaf = leaf;
    this.#entries = entryCount;
    this.#own = sumOf(own);
    this.#inherited = sumOf(inherited);
    this.#unknownReplies = unknownReplies;
  }

  session(place: { readonly source: string; readonly path?: string }, time: Date): CatalogSession {
    const [own, inherited] = [totalsOf(this.#own), totalsOf(this.#inherited)];
    const damage = new Map(this.#damage);
    for (const code of this.tail) damage.set(code, (damage.get(code) ?? 0) + 1);
    return {
      ...this.#summary.info(time),
      ...place,
      leafId: this.#leaf,
      entryCount: this.#entries,
      models: [...this.#models],
      usage: totalsOf(plus(this.#own, this.#inherited)),
      own,
      inherited,
      unknownReplies: this.#unknownReplies,
      damage: Object.fromEntries(damage),
    };
  }

  #addUsage({ type, role, usage }: EntryHead): void {
    if (type === "message" && role === "assistant" && !usage) this.#unknownReplies++;
    if (!usage) return;
    if (this.#entries < (this.#header.inheritedEntries ?? 0)) this.#inherited = plus(this.#inherited, usage);
    else this.#own = plus(this.#own, usage);
  }

  #addModel({ provider, model }: { readonly provider?: unknown; readonly model?: unknown }): void {
    if (typeof model !== "string" || model === "" || typeof provider !== "string") return;
    if (provider !== "unknown" || model !== "unknown") this.#models.add(`${provider}/${model}`);
  }
}

function sumOf({ input, output, cacheRead, cacheWrite, cost }: UsageSum): UsageSum {
  return { input, output, cacheRead, cacheWrite, cost };
}
