import type { EntryHead } from "../entry/head.ts";
import { type SessionStats, Statistics } from "../tree/statistics.ts";
import type { Program } from "./program.ts";

/** Counts over all entries that are taken once and then follow what is appended, also while they are being taken. */
export class RunningCount {
  #whole: Statistics | undefined;
  /** Several may be taken at the same time. */
  readonly #underWay = new Set<Statistics>();

  /** Whether it wants to hear of what is appended. */
  get isFollowing(): boolean {
    return this.#whole !== undefined || this.#underWay.size > 0;
  }

  add(head: EntryHead): void {
    this.#whole?.add(head);
    for (const counted of this.#underWay) counted.add(head);
  }

  /** An entry took the place of another, or all entries did: they have to be counted again. */
  forget(): void {
    this.#whole = undefined;
    this.#underWay.clear();
  }

  /** `count` counts every entry that there is when it begins. It is called again if what it counted was forgotten. */
  *snapshot(
    inherited: () => ReadonlySet<string>,
    count: (counted: Statistics) => Program<void>,
  ): Program<SessionStats> {
    while (!this.#whole) {
      const counted = new Statistics(inherited());
      this.#underWay.add(counted);
      try {
        yield* count(counted);
        if (this.#underWay.has(counted)) this.#whole = counted;
      } finally {
        this.#underWay.delete(counted);
      }
    }
    return this.#whole.snapshot();
  }
}
