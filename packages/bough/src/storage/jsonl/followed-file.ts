import type { Stats } from "node:fs";
import { SessionError } from "../../errors.ts";
import type { LogChange, LogView } from "../../session/entry-log.ts";
import { isMissing } from "../files/file-errors.ts";
import { type FileSystem, sameInode, uninterrupted } from "../files/file-system.ts";
import { idOf, type OwnLine } from "./own-line.ts";
import { RecentLines } from "./recent-lines.ts";
import { type EndSizes, SessionFile } from "./session-file.ts";

/**
 * The session that a path leads to, whatever becomes of the file: while it only grows, its new lines are taken in; a
 * file that was exchanged, cut or written anew is loaded again. Errors are the file system's and `session_deleted`,
 * which leaves what was read before as it was.
 */
export class FollowedFile {
  readonly #path: string;
  readonly #fileSystem: FileSystem;
  /** In the order they were acknowledged. */
  readonly #ownIds: string[] = [];
  readonly #recent = new RecentLines();
  #file: SessionFile;
  #lost: readonly OwnLine[] = [];
  #isShown = false;
  /** Of the file that was replaced, ids that were never handed out. */
  #leftIds: ReadonlySet<string> | undefined;

  constructor(path: string, fileSystem: FileSystem, sizes?: EndSizes) {
    this.#path = path;
    this.#fileSystem = fileSystem;
    this.#file = new SessionFile(path, fileSystem, sizes);
  }

  get file(): SessionFile {
    return this.#file;
  }

  /** Own lines that were acknowledged and are in the file no more, or in pieces. */
  get lost(): readonly OwnLine[] {
    return this.#lost;
  }

  /** Settles, the first time, how much of the file is handed out at first. */
  show(view: LogView): void {
    if (this.#isShown) return;
    if (view === "whole") this.#file.readWhole();
    this.#isShown = true;
  }

  /** Of the path. */
  stat(): Stats {
    const stat = uninterrupted(() => this.#fileSystem.statSync(this.#path, { throwIfNoEntry: false }));
    if (stat === undefined) throw this.deleted();
    return stat;
  }

  /** Whether the file is as it was known, and so much longer. */
  isLongerBy(bytes: number, stat: Stats): boolean {
    return sameInode(stat, this.#file.inode) && stat.size === this.#file.size + bytes;
  }

  /** Brings the view up to what the path holds; `written` bytes at least must have come to the file. */
  follow(stat: Stats, written: number): void {
    const isSame = sameInode(stat, this.#file.inode) && stat.size >= this.#file.size + written;
    if (!isSame || !this.#file.grow(stat.size)) this.#reload();
    else this.#loseOwnOf(this.#file.takeDamagedIds());
  }

  /** The first bytes of a write, that were taken: what of them is acknowledged later can be written again. */
  remember(bytes: Uint8Array, length = bytes.length): void {
    this.#recent.add(bytes, length);
  }

  /** A line that was acknowledged: where the file lacks it later, it is `lost`. */
  own(id: string): void {
    this.#ownIds.push(id);
  }

  /** Whether any line was acknowledged. */
  get hasOwn(): boolean {
    return this.#ownIds.length > 0;
  }

  /** Whether the file is not the one that was shown last, nor that with more behind it. */
  get isReplaced(): boolean {
    return this.#leftIds !== undefined;
  }

  /** Forgets lost lines that are in the file again. */
  settleLost(): void {
    this.#lost = this.#lost.filter((line) => !this.#file.holds(line));
  }

  takeChange(): LogChange {
    const leftIds = this.#leftIds;
    const { heads, diagnostics } = this.#file.takeNews();
    if (leftIds === undefined) return { kind: "grown", heads, diagnostics };
    this.#leftIds = undefined;
    return { kind: "replaced", heads, diagnostics, leftIds };
  }

  deleted(cause?: unknown): SessionError {
    const { id } = this.#file.header;
    return new SessionError("session_deleted", `session ${id} is not at ${this.#path} any more`, { id }, { cause });
  }

  #loseOwnOf(damagedIds: readonly string[]): void {
    if (damagedIds.length === 0) return;
    const own = new Set(this.#ownIds);
    this.#lose(damagedIds.filter((id) => own.has(id) && !this.#file.hasWhole(id)));
  }

  #reload(): void {
    const before = this.#file;
    const after = this.#openAgain();
    try {
      after.readWhole();
      if (after.size === 0 || after.header.id !== before.header.id) throw this.deleted();
      this.#lose(this.#ownIds.filter((id) => !after.hasWhole(id)));
      after.takeDamagedIds();
      this.#leftIds = before.leftIds();
    } catch (error) {
      after.close();
      throw error;
    }
    this.#file = after;
    before.close();
  }

  /** A file that was cut or written over has the lines no more; then only the recent ones are known. */
  #lose(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const known = new Set(this.#lost.map(idOf));
    const missing = new Set(ids.filter((id) => !known.has(id)));
    const recent = this.#recent.linesOf(missing);
    const lines = Array.from(missing, (id) => recent.get(id) ?? this.#file.lineOf(id));
    this.#lost = [...this.#lost, ...lines.filter((line) => line !== undefined)];
  }

  #openAgain(): SessionFile {
    try {
      return new SessionFile(this.#path, this.#fileSystem);
    } catch (error) {
      throw isMissing(error) ? this.deleted(error) : error;
    }
  }
}
