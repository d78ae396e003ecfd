import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { CallCounter, type CallName } from "../storage/jsonl/faulty-file-system.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** What an operation did, exactly: no clock is asked. */
export interface Cost {
  readonly calls: readonly CallName[];
  readonly bytesRead: number;
  /** Texts that became values. */
  readonly parsed: number;
}

/** Counts the calls of a file system and what is parsed. */
export class CostCounter {
  readonly #calls = new CallCounter();

  get fileSystem() {
    return this.#calls.fileSystem;
  }

  async during(action: () => unknown): Promise<Cost> {
    const parse = vi.spyOn(JSON, "parse");
    const { calls, bytesRead } = this.#calls;
    const before = { calls: calls.length, bytesRead };
    try {
      await action();
      const read = this.#calls.bytesRead - before.bytesRead;
      return { calls: calls.slice(before.calls), bytesRead: read, parsed: parse.mock.calls.length };
    } finally {
      parse.mockRestore();
    }
  }
}

export interface LongSession {
  readonly path: string;
  /** In bytes, as everything here. */
  readonly size: number;
  readonly headerLine: number;
  readonly entries: number;
  /** How many lines the last 64 KiB of the file hold whole. */
  readonly lastLines: number;
  /** From the compaction, which keeps nothing, to the end of the file. */
  readonly window: { readonly entries: number; readonly size: number };
}

interface LongShape {
  /** Of what the compaction says; with null it carries no state, as one of another program's. */
  readonly carried?: object | null;
  /** What the path begins with: types and members. */
  readonly beginning?: readonly object[];
}

/** A session file of `history` messages, a compaction that stands for them, and messages after it: ten unless given. */
export function longSession(
  history: number,
  after = 10,
  { carried = state, beginning = [] }: LongShape = {},
): LongSession {
  const path = join(temporaryFolder(), "long.jsonl");
  const header = { type: "session", version: 3, id: "long", timestamp: time, cwd: "/w/p" };
  const first = beginning.map((said, index) => ({
    ...said,
    ...{ id: `b${index}`, parentId: index === 0 ? null : `b${index - 1}`, timestamp: time },
  }));
  const before = [...first, ...chain("h", history, first.at(-1)?.id ?? null)];
  const compaction = {
    ...{ type: "compaction", id: "c", parentId: `h${history - 1}`, timestamp: time },
    ...{ summary: "s".repeat(500), firstKeptEntryId: "c", tokensBefore: 1, ...(carried && { state: carried }) },
  };
  const window = [compaction, ...chain("a", after, "c")];
  const text = textOf([header, ...before, ...window]);
  writeFileSync(path, text);
  return {
    path,
    size: text.length,
    headerLine: textOf([header]).length,
    entries: before.length + window.length,
    lastLines: text.slice(-lastBlock).split("\n").length - 2,
    window: { entries: window.length, size: textOf(window).length },
  };
}

/** What opening reads of the end of a file, its header, and whether it ends in a newline. */
export const lastBlock = 64 << 10;
/** What is read at a time further back. */
export const largestBlock = 256 << 10;
export const firstBytes = 16 << 10;
export const lastByte = 1;

const time = "2026-01-01T00:00:00.000Z";
const state = { model: null, thinkingLevel: "off", activeToolNames: null, injectedRules: [] };

function chain(name: string, length: number, root: string | null): object[] {
  const content = "all of it is read, or it isn't; ".repeat(20);
  return Array.from({ length }, (_, index) => ({
    ...{
      type: "message",
      id: `${name}${index}`,
      parentId: index === 0 ? root : `${name}${index - 1}`,
      timestamp: time,
    },
    message: { role: "user", content, timestamp: 0 },
  }));
}

function textOf(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
