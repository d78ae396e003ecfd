import { kindOf } from "../entry/kind.ts";
import { type Place, Positions } from "../tree/positions.ts";

/** Finds the ends of the branches that hold an entry, over all entries of its session; see `branchTips`. */
export class Branches {
  readonly #places: ReadonlyMap<string, Place>;
  readonly #positions: Positions;
  #children: ReadonlyMap<string | null, readonly Place[]> | undefined;
  /** Positions that something of the conversation hangs from. */
  readonly #continued = new Set<string>();

  /** Each id once. */
  constructor(places: readonly Place[]) {
    this.#places = new Map(places.map((place) => [place.id, place]));
    this.#positions = new Positions(this.#places);
    for (const place of places) this.#continue(place);
  }

  get count(): number {
    let count = 0;
    for (const place of this.#places.values()) if (this.#isTip(place)) count++;
    return count;
  }

  /** In no particular order; none for an entry that is no part of a branch, and has none below it. */
  holding(id: string): readonly string[] {
    const tips: string[] = [];
    const met = new Set([id]);
    this.#children ??= Map.groupBy(this.#places.values(), ({ parentId }) => parentId);
    const pending = [this.#places.get(id)];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (this.#isTip(next)) tips.push(next.id);
      for (const child of this.#children.get(next.id) ?? []) {
        if (met.has(child.id)) continue;
        met.add(child.id);
        pending.push(child);
      }
    }
    return tips;
  }

  /** What a place hangs from has something below it. */
  #continue(place: Place): void {
    const { id, parentId } = place;
    const parent = parentId === null || kindOf(place) === "mark" ? undefined : this.#places.get(parentId);
    const position = parent && this.#positions.ofHead(parent);
    if (position && position !== id) this.#continued.add(position);
  }

  #isTip(place: Place): boolean {
    return kindOf(place) !== "mark" && place.type !== "damaged" && !this.#continued.has(place.id);
  }
}
