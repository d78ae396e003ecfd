import assert from "node:assert/strict";
import type { SessionTreeEntry } from "../entry/entry.ts";
import { type EntryHead, headContent } from "../entry/head.ts";
import type { Appended, EntryLog, EntryRecord } from "../session/entry-log.ts";

/** One session of the kind of log under test, empty at first. The optional members are that kind's capabilities. */
export interface LogFixture {
  readonly log: EntryLog;
  /** Another handle on the same session, as another process would open it. */
  open(): Promise<EntryLog>;
  /** All that is stored, comparable by deep equality: shows that reading writes nothing. */
  stored?(): Promise<unknown>;
  /** Takes the session away from under its handles. */
  remove?(): Promise<void>;
  /** Called after the case, when all handles are closed. */
  dispose?(): Promise<void>;
}

export interface LogCase {
  readonly name: string;
  run(bench: LogBench): Promise<void>;
}

/** A fixture that closes every handle it gave out. */
export class LogBench {
  readonly log: EntryLog;
  readonly #fixture: LogFixture;
  readonly #handles: EntryLog[];

  constructor(fixture: LogFixture) {
    this.#fixture = fixture;
    this.log = fixture.log;
    this.#handles = [fixture.log];
  }

  async open(): Promise<EntryLog> {
    const log = await this.#fixture.open();
    this.#handles.push(log);
    return log;
  }

  stored(): Promise<unknown> {
    if (!this.#fixture.stored) throw new Error("the fixture has no stored(): add it, or skip this case with a reason");
    return this.#fixture.stored();
  }

  remove(): Promise<void> {
    if (!this.#fixture.remove) throw new Error("the fixture has no remove(): add it, or skip this case with a reason");
    return this.#fixture.remove();
  }

  async dispose(): Promise<void> {
    for (const log of this.#handles) await log.close();
    await this.#fixture.dispose?.();
  }
}

export function recordOf(entry: SessionTreeEntry): EntryRecord {
  return { head: headContent(entry), entry, json: JSON.stringify(entry) };
}

export function userEntry(id: string, parentId: string | null, text = id): SessionTreeEntry {
  const message = { role: "user", content: text, timestamp: 0 } as const;
  return { type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", message };
}

/** Records of user messages, each the child of the one before. */
export function chain(ids: readonly string[], parentId: string | null = null): EntryRecord[] {
  return ids.map((id, index) => recordOf(userEntry(id, index === 0 ? parentId : (ids[index - 1] as string))));
}

export function assertStored(appended: Appended): void {
  for (const outcome of appended.outcomes) assert.deepEqual(outcome, { status: "stored" });
}

export function idsOf(heads: readonly EntryHead[]): string[] {
  return heads.map((head) => head.id);
}

/** All bodies a handle hands out that was not used before. */
export async function everything(log: EntryLog): Promise<readonly SessionTreeEntry[]> {
  const { heads } = await log.changes();
  return log.read(heads.map((head) => head.position));
}

export function assertFrozen(value: unknown): void {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    assert.ok(Object.isFrozen(next), "what a log hands out is frozen through and through");
    open.push(...Object.values(next));
  }
}

/** What a handle sees that was opened just now. */
export async function headsAnew(bench: LogBench): Promise<readonly EntryHead[]> {
  return (await (await bench.open()).changes()).heads;
}
