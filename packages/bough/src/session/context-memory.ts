import { GrowingContext, onlyAdds } from "../context/growing-context.ts";
import type { SessionContextResult } from "../context/session-context.ts";
import { readWindow, type StateBefore } from "../context/window.ts";
import type { DiagnosticCode } from "../entry/diagnostic.ts";
import type { EntryHead } from "../entry/head.ts";
import type { SessionHeader } from "../entry/header.ts";
import type { Ascent } from "../tree/path.ts";
import { readWithBlobs } from "./blobs.ts";
import type { Program } from "./program.ts";

/** Of so many leaves the contexts are kept. */
const places = 2;
/** What stays wrong however a path goes on. A missing image may come, and what cuts a path is told where it is met. */
const lasting: ReadonlySet<DiagnosticCode> = new Set(["damaged_entry", "unknown_first_kept"]);

interface NewContext {
  readonly header: SessionHeader;
  readonly stateBefore?: StateBefore | undefined;
  readonly systemPrompt?: string | undefined;
}

/**
 * The contexts built last, by their leaves. What is asked for next is most often one of them and a few entries more,
 * and then costs those entries. `forget` has to be called when something may have changed that was on a path.
 */
export class ContextMemory {
  #kept = new Map<string, GrowingContext>();

  forget(): void {
    this.#kept = new Map();
  }

  /** What `readContext` gives without projectors and transforms. */
  *at(path: Ascent, { header, stateBefore, systemPrompt }: NewContext): Program<SessionContextResult> {
    const kept = this.#kept;
    const context =
      (yield* this.#grown(path)) ?? new GrowingContext(yield* readWindow(path, readWithBlobs, stateBefore), { header });
    const result = context.freeze().result(systemPrompt);
    const leaf = path.at(0);
    if (leaf && path.goesBack && result.diagnostics.every(({ code }) => lasting.has(code)))
      keep(kept, leaf.id, context);
    return result;
  }

  *#grown(path: Ascent): Program<GrowingContext | undefined> {
    const steps = this.#stepsToKept(path);
    if (steps === undefined) return undefined;
    const { id } = path.at(steps) as EntryHead;
    const context = this.#kept.get(id) as GrowingContext;
    // Nobody else may add to it while this waits.
    this.#kept.delete(id);
    const [, ...added] = path.upTo(steps);
    const entries = yield* readWithBlobs(added.map(({ position }) => position));
    for (const entry of entries) context.add(entry);
    return context;
  }

  #stepsToKept(path: Ascent): number | undefined {
    if (this.#kept.size === 0) return undefined;
    for (let step = 0; ; step++) {
      const head = path.at(step);
      if (head === undefined || !path.goesBack) return undefined;
      if (this.#kept.has(head.id)) return step;
      if (!onlyAdds(head)) return undefined;
    }
  }
}

function keep(kept: Map<string, GrowingContext>, leaf: string, context: GrowingContext): void {
  kept.delete(leaf);
  kept.set(leaf, context);
  const [oldest] = kept.keys();
  if (kept.size > places && oldest !== undefined) kept.delete(oldest);
}
