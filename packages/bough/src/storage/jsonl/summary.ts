import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import type { SessionHeader } from "../../entry/header.ts";
import { SessionError } from "../../errors.ts";
import type { SessionInfo, UnreadableSession } from "../../session/session-store.ts";
import { isMissing, storageError } from "../files/file-errors.ts";
import { SummaryScan } from "./summary-scan.ts";

export interface SummaryOptions {
  /** Asked once the header is known; a session that is not wanted is read no further. */
  readonly wants?: (header: SessionHeader) => boolean;
  readonly signal?: AbortSignal;
}

export type Summary = SessionInfo | UnreadableSession | { readonly status: "unwanted" };

/** The first piece holds the header, with luck; the others are what a disk likes. */
const firstPiece = 4 << 10;
const chunkSize = 256 << 10;

/**
 * What a list shows of the session at `path`, read in chunks and in memory of a fixed size. What can't be read is an
 * answer too; rejects with the signal's reason alone.
 */
export async function summarize(path: string, options: SummaryOptions = {}): Promise<Summary> {
  options.signal?.throwIfAborted();
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return await scan(path, file, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    return unreadable(path, error);
  } finally {
    await file?.close();
  }
}

async function scan(path: string, file: FileHandle, { wants, signal }: SummaryOptions): Promise<Summary> {
  const stat = await file.stat();
  requireFile(path, stat);
  const scan = new SummaryScan(path);
  const chunk = new Uint8Array(Math.min(chunkSize, Math.max(stat.size, 1)));
  let isWanted: boolean | undefined;
  for (let at = 0; ; ) {
    const wanted = scan.header ? chunk.length : Math.min(firstPiece, chunk.length);
    const { bytesRead } = await file.read(chunk, 0, wanted, at);
    signal?.throwIfAborted();
    if (bytesRead === 0) return scan.end(stat.mtime);
    at += bytesRead;
    scan.push(chunk.subarray(0, bytesRead));
    if (scan.header) isWanted ??= wants?.(scan.header) ?? true;
    if (isWanted === false) return { status: "unwanted" };
  }
}

function requireFile(path: string, stat: Stats): void {
  if (stat.isFile()) return;
  throw new SessionError("invalid_session", `${path} is not a file`, { path, reason: "not_a_file" });
}

/** `id` as far as the file's name tells it. */
export function unreadable(path: string, cause: unknown): UnreadableSession {
  const id = idInName(path);
  const error = isMissing(cause)
    ? new SessionError("not_found", `${path} is not there`, { what: "session", id: id ?? path }, { cause })
    : storageError(cause, { operation: "read", path });
  return { status: "unreadable", ...(id !== undefined && { id }), path, error };
}

/** The id in `<time>_<id>.jsonl`, in the trash too. */
export function idInName(path: string): string | undefined {
  return /_([^_].*?)\.jsonl(?:\.deleted-[^.]+)?$/.exec(basename(path))?.[1];
}
