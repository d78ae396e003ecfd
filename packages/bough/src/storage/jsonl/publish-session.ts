import { dirname } from "node:path";
import type { SessionHeader } from "../../entry/header.ts";
import { encodeHeader } from "../../format/encode.ts";
import type { CopiedLines, RecordBatch, StoredLines } from "../../session/entry-log.ts";
import type { CopySource } from "../../session/session-store.ts";
import { storageError } from "../files/file-errors.ts";
import { makeDirectory, type PublishOptions, syncDirectory } from "../files/publish.ts";
import { TemporaryCopy } from "./temporary-copy.ts";
import { lineOf } from "./written-line.ts";

/**
 * Creates a session's file, which nobody sees before it is complete. Records are written as they come; what their source
 * throws is passed on as it is. Throws `already_exists`.
 */
export async function publishSession(
  path: string,
  header: SessionHeader,
  records: CopySource,
  options: PublishOptions,
): Promise<void> {
  const publication = new Publication(path, header, options);
  try {
    for await (const batch of records) publication.add(batch);
    publication.finish();
  } finally {
    publication.close();
  }
}

/** As `publishSession`, and blocks. */
export function publishSessionSync(
  path: string,
  header: SessionHeader,
  records: Iterable<RecordBatch | CopiedLines>,
  options: PublishOptions,
): void {
  const publication = new Publication(path, header, options);
  try {
    for (const batch of records) publication.add(batch);
    publication.finish();
  } finally {
    publication.close();
  }
}

const worthAWrite = 1 << 20;

/** A session's file on its way to its name. To be closed, whatever became of it. */
class Publication {
  readonly #path: string;
  readonly #options: PublishOptions;
  readonly #copy: TemporaryCopy;
  #waiting: Uint8Array[] = [];
  #waitingLength = 0;

  constructor(path: string, header: SessionHeader, options: PublishOptions) {
    this.#path = path;
    this.#options = options;
    const first = lineOf(encodeHeader(header));
    this.#copy = this.#attempt(() => {
      makeDirectory(dirname(path), options);
      return new TemporaryCopy(dirname(path), options.fileSystem);
    });
    try {
      this.#attempt(() => this.#copy.append(first));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  add(batch: RecordBatch | CopiedLines): void {
    if ("lines" in batch) this.#addPieces(batch.lines);
    else this.#addRecords(batch);
  }

  #addRecords(batch: RecordBatch): void {
    for (const { json } of batch) {
      const line = lineOf(json);
      this.#waiting.push(line);
      this.#waitingLength += line.length;
    }
    if (this.#waitingLength >= worthAWrite) this.#attempt(() => this.#write());
  }

  #addPieces(pieces: StoredLines): void {
    this.#attempt(() => this.#write());
    for (const piece of pieces) this.#attempt(() => this.#copy.append(piece));
  }

  finish(): void {
    const { fileSystem, sync } = this.#options;
    this.#attempt(() => {
      this.#write();
      if (sync) this.#copy.sync();
      this.#copy.publish(this.#path);
      if (sync) syncDirectory(dirname(this.#path), fileSystem);
    });
  }

  close(): void {
    this.#copy.close();
  }

  #write(): void {
    if (this.#waitingLength === 0) return;
    this.#copy.write(this.#waiting);
    this.#waiting = [];
    this.#waitingLength = 0;
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storageError(error, { operation: "create", path: this.#path });
    }
  }
}
