import type { EntryHead } from "../../entry/head.ts";

export interface StoredEntry {
  readonly name: string;
  readonly seq: number;
  /** Its position is its place in the order. */
  readonly head: EntryHead;
}

/** The entries of a session in the order of (seq, id), and which of them were handed out. */
export class EntryOrder {
  #entries: StoredEntry[] = [];
  #byId = new Map<string, StoredEntry>();
  #handedOut = 0;
  #wasChanged = false;
  #generation = 0;

  /** Goes up when places changed, which voids positions. */
  get generation(): number {
    return this.#generation;
  }

  get lastSeq(): number {
    return this.#entries.at(-1)?.seq ?? 0;
  }

  at(position: number): StoredEntry | undefined {
    return this.#entries[position];
  }

  /** Of several entries with one id the last. */
  of(id: string): StoredEntry | undefined {
    return this.#byId.get(id);
  }

  insert(found: readonly StoredEntry[]): void {
    const added = found.toSorted(inOrder);
    const [first, last] = [added[0], this.#entries.at(-1)];
    if (!first) return;
    if (last && inOrder(last, first) > 0) this.#rebuild([...this.#entries, ...added].sort(inOrder));
    else for (const entry of added) this.#push(entry);
  }

  remove(names: ReadonlySet<string>): void {
    if (names.size > 0) this.#rebuild(this.#entries.filter((entry) => !names.has(entry.name)));
  }

  /** The heads not handed out yet; all of them, `replaced`, if one came or went in front of others that were. */
  takeNews(): { readonly kind: "grown" | "replaced"; readonly heads: readonly EntryHead[] } {
    const kind = this.#wasChanged ? "replaced" : "grown";
    const heads = this.#entries.slice(this.#wasChanged ? 0 : this.#handedOut).map((entry) => entry.head);
    this.#handedOut = this.#entries.length;
    this.#wasChanged = false;
    return { kind, heads };
  }

  #rebuild(entries: readonly StoredEntry[]): void {
    const handedOut = this.#entries.slice(0, this.#handedOut);
    this.#wasChanged ||= handedOut.some((entry, index) => entries[index]?.name !== entry.name);
    this.#generation++;
    this.#entries = [];
    this.#byId = new Map();
    for (const entry of entries) this.#push(entry);
  }

  #push({ name, seq, head }: StoredEntry): void {
    const entry = { name, seq, head: { ...head, position: this.#entries.length } };
    this.#entries.push(entry);
    this.#byId.set(head.id, entry);
  }
}

/** By code units, since two machines have to agree. */
function inOrder(one: StoredEntry, other: StoredEntry): number {
  return one.seq - other.seq || compare(one.head.id, other.head.id) || compare(one.name, other.name);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
