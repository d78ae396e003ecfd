import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SessionHeader } from "../../../src/entry/header.ts";
import type { RecordBatch } from "../../../src/session/entry-log.ts";
import { newHeader } from "../../../src/session/new-header.ts";
import type { ListOptions, SessionListing, SessionRef } from "../../../src/session/session-store.ts";
import { JsonlStore } from "../../../src/storage/jsonl/jsonl-store.ts";
import { fileOf } from "../../support/decode.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { user } from "./records.ts";

export interface TestStore {
  readonly root: string;
  readonly store: JsonlStore;
}

export function testStore(): TestStore {
  const root = join(realpathSync(temporaryFolder()), "sessions");
  return { root, store: new JsonlStore({ root, durability: "process" }) };
}

export async function create(
  store: JsonlStore,
  given: Partial<SessionHeader> = {},
  batches: readonly RecordBatch[] = [[user("u1")]],
): Promise<SessionRef & { readonly location: string }> {
  const { ref, log } = await store.create({ ...newHeader({ cwd: "/w/p" }), ...given }, batches);
  await log.close();
  return ref as SessionRef & { location: string };
}

export async function listed(store: JsonlStore, options?: ListOptions): Promise<SessionListing[]> {
  const listings: SessionListing[] = [];
  for await (const listing of store.list(options)) listings.push(listing);
  return listings.sort((a, b) => ((a.path as string) < (b.path as string) ? -1 : 1));
}

export async function idsListed(store: JsonlStore, options?: ListOptions): Promise<string[]> {
  return (await listed(store, options))
    .map(({ id, status }) => (status === "ok" ? (id as string) : `${status}:${id}`))
    .sort();
}

export function place(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

export function sessionText(id: string, cwd: string): string {
  return fileOf({ ...newHeader({ id, cwd }) }, JSON.parse(user(`${id}-1`).json));
}

/** Every name below a folder, with what is in the files. */
export function snapshot(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const stat = statSync(join(folder, name));
      const content = stat.isFile()
        ? createHash("sha256")
            .update(readFileSync(join(folder, name)))
            .digest("hex")
        : "";
      return [name, `${content} ${stat.mtimeMs}`];
    }),
  );
}
