import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import type { AgentMessage } from "../../src/entry/message.ts";
import type { Session } from "../../src/session/session.ts";
import type { RepoOptions } from "../../src/session/session-repo.ts";
import { JsonlRepo } from "../../src/storage/jsonl/index.ts";
import { expand } from "../../src/testing/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A session in a file of its own, and what is in that file. */
export interface Story {
  readonly repo: JsonlRepo;
  readonly session: Session;
  readonly path: string;
  bytes(): Buffer;
  text(): string;
  /** The same file, opened by another repo as another process would. */
  reopened(): Promise<Session>;
}

type Options = Omit<RepoOptions, "store">;

export function jsonlRepo(root = temporaryFolder(), options: Options = {}): JsonlRepo {
  const repo = new JsonlRepo({ root, cwd: "/w/p", ...options });
  onTestFinished(() => repo.close());
  return repo;
}

/** A session file with exactly this content, opened. */
export async function openFile(content: string | Uint8Array, options: Options = {}): Promise<Story> {
  const path = join(temporaryFolder(), "story.jsonl");
  writeFileSync(path, content);
  const repo = jsonlRepo(undefined, options);
  return await story(repo, await repo.open(path), path);
}

/** As `openFile`, in the notation of `expand`; without a header one is put in front. */
export async function openStory(records: string, options: Options = {}): Promise<Story> {
  const whole = /^\s*H\(/.test(records) ? records : `H()\n${records}`;
  return await openFile(expand(whole), options);
}

export async function newStory(options: Options = {}): Promise<Story> {
  const repo = jsonlRepo(undefined, options);
  const session = await repo.create();
  return await story(repo, session, session.storage.ref.location as string);
}

async function story(repo: JsonlRepo, session: Session, path: string): Promise<Story> {
  return {
    repo,
    session,
    path,
    bytes: () => readFileSync(path),
    text: () => readFileSync(path, "utf8"),
    reopened: () => jsonlRepo().open(path),
  };
}

export function idsOf(entries: readonly { readonly id: string }[]): string[] {
  return entries.map((entry) => entry.id);
}

/** What the model is told, a line a message. */
export async function told(session: Session): Promise<string[]> {
  return (await session.buildContext()).messages.map(textOf);
}

export function textOf(message: AgentMessage): string {
  if ("summary" in message) return message.summary;
  if (!("content" in message)) return "";
  if (typeof message.content === "string") return message.content;
  return message.content.map((block) => ("text" in block ? block.text : block.type)).join("");
}

export function textsOf(entries: readonly SessionTreeEntry[]): string[] {
  return entries.flatMap((entry) => (entry.type === "message" ? [textOf(entry.message)] : []));
}
