import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { Position } from "../../entry/head.ts";

/** Entries met lately, or what they are made of, up to so many bytes of their lines; what was not asked for longest goes first. */
export class EntryCache<Kept = SessionTreeEntry> {
  readonly #limit: number;
  readonly #kept = new Map<Position, { readonly entry: Kept; readonly bytes: number }>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(position: Position): Kept | undefined {
    const found = this.#kept.get(position);
    if (!found) return undefined;
    this.#kept.delete(position);
    this.#kept.set(position, found);
    return found.entry;
  }

  /** `position` must not be kept already. An entry above the limit is not kept at all. */
  set(position: Position, entry: Kept, bytes: number): void {
    if (bytes > this.#limit) return;
    this.#kept.set(position, { entry, bytes });
    this.#bytes += bytes;
    if (this.#bytes <= this.#limit) return;
    for (const [oldest, { bytes: freed }] of this.#kept) {
      this.#kept.delete(oldest);
      this.#bytes -= freed;
      if (this.#bytes <= this.#limit) return;
    }
  }
}
