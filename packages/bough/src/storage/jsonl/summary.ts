import { basename } from "node:path";
import type { SessionHeader } from "../../entry/header.ts";
import { SessionError } from "../../errors.ts";
import type { SessionInfo, UnreadableSession } from "../../session/session-store.ts";
import { isMissing, storageError } from "../files/file-errors.ts";
import { closeDescriptor, nodeFileSystem, uninterrupted } from "../files/file-system.ts";
import { Turns } from "../files/turns.ts";
import { LineStarts } from "./line-starts.ts";
import { type OpenedFile, openToRead } from "./session-lines.ts";
import { SummaryScan } from "./summary-scan.ts";

export interface SummaryOptions {
  /** Asked once the header is known; a session that is not wanted is read no further. */
  readonly wants?: (header: SessionHeader) => boolean;
  readonly signal?: AbortSignal;
}

export type Summary = SessionInfo | UnreadableSession | { readonly status: "unwanted" };

/** The first piece holds the header, with luck; the others are what a processor keeps at hand. */
const firstPiece = 4 << 10;
const chunkSize = 64 << 10;

/**
 * Reads what a list shows of sessions, one after the other and in memory of a fixed size. It reads synchronously, which
 * takes a fraction of the time, and lets the process do other things now and then.
 */
export class SummaryReader {
  readonly #options: SummaryOptions;
  readonly #turns = new Turns();
  readonly #chunk = Buffer.allocUnsafeSlow(chunkSize);
  readonly #lines = new LineStarts(0);

  constructor(options: SummaryOptions = {}) {
    this.#options = options;
  }

  /** What can't be read is an answer too; rejects with the signal's reason alone. */
  async read(path: string): Promise<Summary> {
    const { signal } = this.#options;
    let file: OpenedFile | undefined;
    try {
      await this.#breathe();
      file = openToRead(path, nodeFileSystem);
      return await this.#scan(path, file);
    } catch (error) {
      signal?.throwIfAborted();
      return unreadable(path, error);
    } finally {
      if (file) closeDescriptor(nodeFileSystem, file.fd);
    }
  }

  async #scan(path: string, { fd, stat }: OpenedFile): Promise<Summary> {
    const { wants } = this.#options;
    // The getter of `mtime` costs more than the call.
    const { size, mtimeMs } = stat;
    const scan = new SummaryScan(path, this.#lines);
    let isWanted = wants === undefined ? true : undefined;
    for (let at = 0; at < size; ) {
      const piece = this.#chunk.subarray(0, Math.min(size - at, isWanted ? chunkSize : firstPiece));
      const read = uninterrupted(() => nodeFileSystem.readSync(fd, piece, 0, piece.length, at));
      if (read === 0) break;
      at += read;
      scan.push(piece.subarray(0, read));
      if (scan.header) isWanted ??= wants?.(scan.header);
      if (isWanted === false) return { status: "unwanted" };
      await this.#breathe();
    }
    return scan.end(new Date(Math.round(mtimeMs)));
  }

  /** Resolves at once most of the time, without making anybody wait for it. */
  #breathe(): Promise<void> | undefined {
    this.#options.signal?.throwIfAborted();
    return this.#turns.isOver ? this.#turns.next() : undefined;
  }
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
