import { readFileSync } from "node:fs";
import type { EntryHead } from "../../../src/entry/head.ts";
import type { SessionHeader } from "../../../src/entry/header.ts";
import type { Appended, EntryRecord, LogChange } from "../../../src/session/entry-log.ts";
import { JsonlLog, type JsonlLogOptions } from "../../../src/storage/jsonl/index.ts";
import { recordOf } from "../../../src/testing/log-case.ts";

export const header: SessionHeader = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w/p",
};

/** A user message of so many characters. */
export function user(id: string, parentId: string | null = null, text = id): EntryRecord {
  const message = { role: "user", content: text, timestamp: 0 } as const;
  const entry = { type: "message", id, parentId, timestamp: "2026-01-01T00:00:01.000Z", message } as const;
  return recordOf(entry);
}

/** Opens a log and takes what it holds. */
export function opened(path: string, options: Partial<JsonlLogOptions> = {}): { log: JsonlLog; first: LogChange } {
  const log = JsonlLog.open(path, { durability: "process", ...options });
  return { log, first: log.changes() };
}

/** The ids a process sees that opens the file now. */
export function idsIn(path: string): string[] {
  const { log, first } = opened(path);
  log.close();
  return idsOf(first.heads);
}

/** The same without records of which only the head is left. */
export function wholeIdsIn(path: string): string[] {
  const { log, first } = opened(path);
  log.close();
  return idsOf(first.heads.filter(({ type }) => type !== "damaged"));
}

export function idsOf(heads: readonly EntryHead[]): string[] {
  return heads.map((head) => head.id);
}

export function codesOf({ diagnostics }: Pick<LogChange, "diagnostics">): string[] {
  return diagnostics.map((diagnostic) => diagnostic.code);
}

export function statusesOf({ outcomes }: Appended): string[] {
  return outcomes.map((outcome) => (outcome.status === "stored" ? "stored" : outcome.error.code));
}

export function linesOf(path: string): string[] {
  return readFileSync(path, "utf8").split("\n");
}
