import type { SessionTreeEntry } from "../entry/entry.ts";
import type { Position } from "../entry/head.ts";
import type { Blobs, ReadUse } from "./entry-log.ts";
import { type Program, read, readBlobs } from "./program.ts";

const reference = /^blob:sha256:([0-9a-f]{64})$/;

/**
 * Bodies with the images in them that oh-my-pi keeps beside a session. What isn't there stays a reference, of which a
 * context says that it is missing.
 */
export function* readWithBlobs(positions: readonly Position[], use?: ReadUse): Program<readonly SessionTreeEntry[]> {
  const entries = yield* read(positions, use);
  const digests = new Set(entries.flatMap(digestsIn));
  if (digests.size === 0) return entries;
  const blobs = yield* readBlobs([...digests]);
  return entries.map((entry) => withBlobs(entry, blobs));
}

/** Digests of the images that an entry refers to, in their order. */
export function digestsIn(entry: SessionTreeEntry): readonly string[] {
  return contentOf(entry).flatMap((block) => digestOf(block) ?? []);
}

function withBlobs(entry: SessionTreeEntry, blobs: Blobs): SessionTreeEntry {
  if (!contentOf(entry).some((block) => blobs.has(digestOf(block) ?? ""))) return entry;
  const content = contentOf(entry).map((block) => {
    const data = blobs.get(digestOf(block) ?? "");
    return data === undefined ? block : { ...(block as object), data };
  });
  const filled =
    entry.type === "message" ? { ...entry, message: { ...entry.message, content } } : { ...entry, content };
  return filled as SessionTreeEntry;
}

function contentOf(entry: SessionTreeEntry): readonly unknown[] {
  const holder: unknown =
    entry.type === "message" ? entry.message : entry.type === "custom_message" ? entry : undefined;
  const content = (holder as { readonly content?: unknown } | undefined)?.content;
  return Array.isArray(content) ? content : [];
}

function digestOf(block: unknown): string | undefined {
  if (typeof block !== "object" || block === null) return undefined;
  const { type, data } = block as { readonly type?: unknown; readonly data?: unknown };
  return type === "image" && typeof data === "string" ? reference.exec(data)?.[1] : undefined;
}
