import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { Position } from "../../entry/head.ts";

/** Entries met lately, or what they are made of, up to so many bytes of their lines; what was not asked for longest goes first. */
export class EntryCache<Kept = SessionTreeEntry> {
  readonly #limit: number;
  /** What stays when the limit was passed: where the first of a map are, it has to look for behind all deleted lately. */
  readonly #rest: number;
  readonly #kept = new Map<Position, { readonly entry: Kept; readonly bytes: number }>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#rest = (7 / 8) * limit;
  }

  get(position: Position): Kept | undefined {
    const found = this.#kept.get(position);
    if (!found) return undefined;
    this.#kept.delete(position);
    this.#kept.set(position, found);
    return found.entry;
  }

  /** `position` must not be kept already. One that leaves no room for others is not kept at all. */
  set(position: Position, entry: Kept, bytes: number): void {
    if (bytes > this.#rest) return;
    this.#kept.set(position, { entry, bytes });
    this.#bytes += bytes;
    if (this.#bytes > this.#limit) this.#makeRoom();
  }

  #makeRoom(): void {
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#rest) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
