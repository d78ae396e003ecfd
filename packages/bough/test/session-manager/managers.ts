import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import type { SessionHeader } from "../../src/entry/header.ts";
import type { EntryFactory } from "../../src/session/entry-factory.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A manager of a new session in a folder of its own. */
export function created(options: Parameters<typeof SessionManager.create>[2] = {}): SessionManager {
  return SessionManager.create("/w", temporaryFolder(), { durability: "process", ...options });
}

/** Ids `e1`, `e2`, … and one second a tick, the same for all that count with it anew. */
export function counting(prefix = "e"): EntryFactory {
  let ids = 0;
  let time = Date.parse("2026-01-01T00:00:00.000Z");
  return {
    newId: () => `${prefix}${++ids}`,
    now: () => {
      time += 1000;
      return time;
    },
  };
}

/** A file of these records, each a line; strings stand for themselves. */
export function fileWith(...records: readonly (object | string)[]): string {
  const path = join(temporaryFolder(), "s.jsonl");
  const lines = records.map((record) => (typeof record === "string" ? record : JSON.stringify(record)));
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

export const header = { type: "session", version: 3, id: "s1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" };

/** A message of the user in a file. */
export function said(id: string, parentId: string | null, text = id): object {
  const message = { role: "user", content: text, timestamp: 1 };
  return { type: "message", id, parentId, timestamp: "2026-01-01T00:00:01.000Z", message };
}

export function bytesOf(path: string): string {
  return readFileSync(path, "utf8");
}

export function exists(manager: SessionManager): boolean {
  return existsSync(fileOf(manager));
}

export function fileOf(manager: SessionManager): string {
  return manager.getSessionFile() as string;
}

export function linesIn(path: string): (SessionHeader | SessionTreeEntry)[] {
  const text = readFileSync(path, "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}

export function idsOf(entries: readonly { readonly id: string }[]): string[] {
  return entries.map((entry) => entry.id);
}

export function typesOf(entries: readonly { readonly type: string }[]): string[] {
  return entries.map((entry) => entry.type);
}

/** The texts that a model is sent. */
export function saidIn(manager: SessionManager): string[] {
  return manager.buildSessionContext().messages.map((message) => {
    if ("summary" in message) return message.summary;
    if (!("content" in message)) return message.role;
    const { content } = message;
    return typeof content === "string"
      ? content
      : content.map((block) => ("text" in block ? block.text : block.type)).join("");
  });
}

export function refusal(code: string, details: object = {}): unknown {
  return expect.objectContaining({ code, details: expect.objectContaining(details) });
}

/** A folder that the default store is in for as long as the test runs. */
export function storeHome(): string {
  const home = temporaryFolder();
  const before = process.env.BOUGH_HOME;
  onTestFinished(() => {
    if (before === undefined) delete process.env.BOUGH_HOME;
    else process.env.BOUGH_HOME = before;
  });
  process.env.BOUGH_HOME = home;
  return home;
}
