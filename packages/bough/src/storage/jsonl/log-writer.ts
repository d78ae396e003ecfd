import type { Stats } from "node:fs";
import { type BoughError, isBoughError, SessionError } from "../../errors.ts";
import type { AppendOutcome, EntryRecord, RecordBatch } from "../../session/entry-log.ts";
import { unknownParent } from "../../session/missing.ts";
import { isMissing, shortWrite, storageError } from "../files/file-errors.ts";
import { type FileSystem, sameInode } from "../files/file-system.ts";
import type { AppendFile } from "./append-file.ts";
import type { FollowedFile } from "./followed-file.ts";
import { LineEncoder } from "./line-encoder.ts";
import { migrateFile } from "./migrate.ts";
import { idOf, joinedLines, lineBreak, newline, type OwnLine } from "./own-line.ts";

/**
 * Appends to a file that others append to, exchange, cut or delete as they like.
 *
 * It writes first and looks afterwards. One `stat` of the path tells whether the file is longer by exactly what was
 * written: then every line stands where it was put. If not, somebody else was there, and what they left is read: lines
 * in between, a torn record that ours was glued to, another file under the same name. Whatever of the own lines can't
 * be found, whole and under its id, is appended again, behind a newline of its own. Nothing is ever cut or overwritten,
 * so the worst that a repeated line does is to stand there twice.
 */
export class LogWriter {
  readonly #path: string;
  readonly #appender: AppendFile;
  readonly #followed: FollowedFile;
  readonly #fileSystem: FileSystem;
  readonly #encoder = new LineEncoder();
  /** Bytes written that the view has not taken in yet. */
  #unseen = 0;
  /** A write failed or was cut short: the next one starts a line of its own. */
  #mayBeTorn = false;

  constructor(path: string, appender: AppendFile, followed: FollowedFile, fileSystem: FileSystem) {
    this.#path = path;
    this.#appender = appender;
    this.#followed = followed;
    this.#fileSystem = fileSystem;
  }

  /**
   * A file of an older form is replaced by one of the current form, which the view then follows. Throws `read_only` and
   * what `migrateFile` throws.
   */
  makeAppendable(): void {
    const { access } = this.#followed.file;
    if (access === "append") return;
    if (access === "read_only") {
      throw new SessionError("read_only", `${this.#path} has a version newer than this program`, { reason: "version" });
    }
    migrateFile(this.#path, this.#fileSystem);
    this.catchUp();
  }

  /** Writes again what was acknowledged and is known to be gone from the file. */
  restoreLost(): void {
    if (this.#followed.lost.length > 0) this.#writeMissing([]);
  }

  /** The same of what is gone by now. */
  assureOwn(): void {
    if (!this.#followed.hasOwn) return;
    this.catchUp();
    this.restoreLost();
  }

  /** The outcomes of `EntryLog.append`. Throws `session_deleted` only. */
  append(batches: readonly RecordBatch[]): AppendOutcome[] {
    return this.#outcomesOf(this.#write(batches));
  }

  /** Brings the view up to what the path holds. Errors are the file system's, those of opening, `session_deleted`. */
  catchUp(stat: Stats = this.#followed.stat()): void {
    this.#followed.follow(stat, this.#unseen);
    this.#unseen = 0;
    this.#mayBeTorn = false;
  }

  /** Write by write until one fails; a write holds as many batches as there is room for. */
  #write(wanted: readonly RecordBatch[]): Attempt {
    const lengths: number[] = [];
    const refusal = wanted.length === 0 ? undefined : this.#aim();
    if (refusal) return { batches: wanted.slice(0, 1), isExact: false, lengths, failure: { error: refusal, from: 0 } };
    if (this.#followed.isReplaced) return this.#writeHung(this.#hung(wanted), lengths);
    return this.#writeAll(wanted, lengths);
  }

  #writeHung({ batches, orphan }: Hung, lengths: number[]): Attempt {
    const attempt = this.#writeAll(batches.slice(0, orphan?.from), lengths);
    return orphan && !attempt.failure ? { ...attempt, batches, isExact: false, orphan } : attempt;
  }

  #writeAll(batches: readonly RecordBatch[], lengths: number[]): Attempt {
    const { lost } = this.#followed;
    const isExact = this.#unseen === 0 && !this.#startsNewLine && lost.length === 0;
    for (let from = 0; from < batches.length; ) {
      const write = this.#encoder.encode(batches, from, lengths);
      const restored = from === 0 && lost.length > 0;
      const error = this.#writeBytes(restored ? Buffer.concat([joinedLines(lost), write.bytes]) : write.bytes);
      if (error) return { batches: batches.slice(0, write.next), isExact: false, lengths, failure: { error, from } };
      from = write.next;
    }
    return { batches, isExact, lengths };
  }

  /** Makes sure, before anything is written, that the descriptor is that of the file in view, and that this may be written. */
  #aim(): BoughError | undefined {
    try {
      if (!sameInode(this.#appender.open(), this.#followed.file.inode)) {
        this.#appender.release();
        this.catchUp();
        this.makeAppendable();
        this.#appender.open();
      }
      return undefined;
    } catch (error) {
      if (isMissing(error)) throw this.#followed.deleted(error);
      if (isBoughError(error, "session_deleted")) throw error;
      return storageError(error, { operation: "append", path: this.#path });
    }
  }

  #writeBytes(lines: Uint8Array): BoughError | undefined {
    const bytes = this.#startsNewLine ? Buffer.concat([lineBreak, lines]) : lines;
    try {
      const taken = this.#appender.write(bytes);
      this.#unseen += taken;
      this.#followed.remember(bytes, taken);
      this.#mayBeTorn = taken < bytes.length;
      // A line without its newline: whoever ends it makes an entry of it.
      return this.#mayBeTorn ? shortWrite(this.#path, bytes[taken] === newline ? "unknown" : "not_written") : undefined;
    } catch (error) {
      this.#mayBeTorn = true;
      return storageError(error, { operation: "append", path: this.#path });
    }
  }

  get #startsNewLine(): boolean {
    return this.#mayBeTorn || !this.#followed.file.endsInNewline;
  }

  #outcomesOf(attempt: Attempt): AppendOutcome[] {
    try {
      const stat = this.#followed.stat();
      if (attempt.isExact && this.#followed.isLongerBy(this.#unseen, stat)) return this.#admit(attempt);
      this.catchUp(stat);
      const doubt = this.#uncertain(new Error("what was written is not in the file"));
      if (attempt.failure) return this.#verify(attempt, doubt);
      const { batches, orphan } = attempt.orphan ? attempt : this.#hung(attempt.batches);
      this.#writeMissing(batches.slice(0, orphan?.from).flat());
      return this.#verify({ ...attempt, batches, failure: orphan }, doubt);
    } catch (error) {
      if (isBoughError(error, "session_deleted")) throw error;
      // Nobody could look, so even a write that reported an error may have left its record.
      return this.#verify({ ...attempt, failure: undefined }, this.#uncertain(error), "unseen");
    }
  }

  /** Where the file took the place of another: up to the first batch that would hang from what it lacks. */
  #hung(batches: readonly RecordBatch[]): Hung {
    if (!this.#followed.isReplaced) return { batches };
    const { file, lost } = this.#followed;
    const ids = new Set(lost.map(idOf));
    for (const [from, batch] of batches.entries()) {
      for (const record of batch) {
        const { id, parentId } = record.head;
        if (parentId !== null && !ids.has(parentId) && !file.has(parentId) && !file.holds(record)) {
          return { batches: batches.slice(0, from + 1), orphan: { error: unknownParent(parentId), from } };
        }
        ids.add(id);
      }
    }
    return { batches };
  }

  /** All of it stands where it was put. */
  #admit({ batches, lengths }: Attempt): AppendOutcome[] {
    this.#unseen = 0;
    const { file } = this.#followed;
    let at = 0;
    for (const batch of batches) {
      for (const record of batch) {
        file.admit(record, lengths[at++] as number);
        this.#followed.own(record.head.id);
      }
    }
    return batches.map(() => stored);
  }

  /**
   * Looks for each line in the file; `doubt` is why one may not be found although it was written. Where the file is
   * `unseen`, that goes for all batches from the first one missed on.
   */
  #verify({ batches, failure }: Attempt, doubt: BoughError, file: "seen" | "unseen" = "seen"): AppendOutcome[] {
    const outcomes: AppendOutcome[] = [];
    for (const [index, batch] of batches.entries()) {
      const { count, error } = this.#storedOf(batch);
      for (const { head } of batch.slice(0, count)) this.#followed.own(head.id);
      if (count < batch.length) {
        const reason = failure && index >= failure.from ? failure.error : (error ?? doubt);
        const isSeen = file === "seen" && error === undefined;
        const rest = isSeen ? [] : batches.slice(index + 1).map(() => failed(0, reason));
        return [...outcomes, failed(count, reason), ...rest];
      }
      outcomes.push(stored);
    }
    return outcomes;
  }

  /** How many of the first lines can be read back, and what kept the next from being read. */
  #storedOf(records: readonly EntryRecord[]): { readonly count: number; readonly error?: BoughError } {
    let count = 0;
    try {
      for (const record of records) {
        if (!this.#followed.file.holds(record)) break;
        count++;
      }
      return { count };
    } catch (error) {
      return { count, error: this.#uncertain(error) };
    }
  }

  /**
   * Appends again, under the same ids, what is not in the file: what a replacement lost and what was just written. All
   * from the first missing line on, since the last line of a file says where the session stands.
   */
  #writeMissing(lines: readonly OwnLine[]): void {
    for (let round = 0; round < maxRounds; round++) {
      const wanted = [...this.#followed.lost, ...lines];
      const missing = wanted.findIndex((line) => !this.#followed.file.holds(line));
      if (missing === -1) break;
      this.#mayBeTorn = true;
      const failure = this.#aim() ?? this.#writeBytes(joinedLines(wanted.slice(missing)));
      this.catchUp();
      if (failure) throw failure;
    }
    this.#followed.settleLost();
  }

  #uncertain(cause: unknown): SessionError {
    return storageError(cause, { operation: "append", path: this.#path, outcome: "unknown" });
  }
}

// Each round writes behind a newline of its own, so one is enough unless somebody rewrites the file again and again.
const maxRounds = 4;

const stored: AppendOutcome = { status: "stored" };

function failed(count: number, error: BoughError): AppendOutcome {
  return { status: "failed", stored: count, error };
}

interface Attempt {
  readonly batches: readonly RecordBatch[];
  /** Every line follows the end of the file as it was known, whole and with nothing between. */
  readonly isExact: boolean;
  /** Of all lines, without their newlines. */
  readonly lengths: readonly number[];
  /** Of the last write, which began with the batch at `from`. */
  readonly failure?: Failure | undefined;
  /** Of the last batch, which was not written. */
  readonly orphan?: Failure;
}

type Hung = Pick<Attempt, "batches" | "orphan">;

interface Failure {
  readonly error: BoughError;
  /** The first batch it concerns. */
  readonly from: number;
}
