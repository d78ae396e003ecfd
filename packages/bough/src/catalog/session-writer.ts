import type { SessionTreeEntry } from "../entry/entry.ts";
import type { SessionHeader } from "../entry/header.ts";
import { SessionTree } from "../tree/session-tree.ts";
import type { CatalogDatabase } from "./database.ts";
import { columnsOf, type EntryColumns, type EntryRow, headOf, headOfRow, storable } from "./entry-row.ts";
import { errorNote } from "./error-note.ts";
import { type FoldState, type Place, SessionFold } from "./session-fold.ts";
import type { FoundSession, SessionPiece } from "./source.ts";
import { dropEntry, dropSession, indexAgain } from "./text-index.ts";

/** How far a session was read when the work on it began: whoever finds it elsewhere was overtaken. */
export interface Progress {
  readonly generation: number;
  readonly mark: string | null;
}

export interface SessionWork {
  readonly source: { readonly id: string; readonly name: string };
  readonly found: FoundSession;
}

/** Puts what was read of sessions into the database, in transactions that the caller opens. */
export class SessionWriter {
  readonly #database: CatalogDatabase;

  constructor(database: CatalogDatabase) {
    this.#database = database;
  }

  /**
   * Takes in one piece; with the last one the session is current. Returns how far the session is read now, undefined if
   * someone else has worked on it since `since`, whose work then stands.
   */
  take(work: SessionWork, piece: SessionPiece, since: Progress | undefined, isLast: boolean): Progress | undefined {
    const stored = this.#session(work);
    if (!isSame(stored, since)) return undefined;
    const generation = (stored?.generation ?? 0) + (piece.kind === "fresh" ? 1 : 0);
    const key = stored?.key ?? this.#add(work);
    if (piece.kind === "fresh") this.#empty(key);
    const state = piece.kind === "more" ? this.#state(key) : undefined;
    const session = new WrittenSession(this.#database, key, piece.header, state);
    for (const { entry, damage } of piece.records) {
      if (entry) session.add(entry);
      session.fold.addDamage(damage);
    }
    session.fold.tail = piece.tail;
    if (isLast) session.settle();
    this.#store(work, key, { ...piece, generation, session, stamp: isLast ? piece.stamp : null });
    return { generation, mark: piece.mark };
  }

  /** Keeps why a session can't be read. What is no session loses what it had; a disk that fails may come back. */
  fail(work: SessionWork, error: unknown, since: Progress | undefined): void {
    const stored = this.#session(work);
    if (!isSame(stored, since)) return;
    const key = stored?.key ?? this.#add(work);
    const { note, isLasting } = errorNote(error);
    const generation = (stored?.generation ?? 0) + 1;
    if (!isLasting) {
      this.#database.run(
        "UPDATE session SET error = ?, stamp = NULL, generation = ? WHERE key = ?",
        note,
        generation,
        key,
      );
      return;
    }
    this.#empty(key);
    this.#database.run(
      `UPDATE session SET error = ?, stamp = ?, generation = ?, mark = NULL, id = NULL, cwd = NULL, name = NULL,
       models = NULL, created = NULL, modified = NULL WHERE key = ?`,
      ...[note, work.found.stamp, generation, key],
    );
  }

  /** Forgets a session, unless someone else has worked on it since. */
  remove(key: number, since: Progress): void {
    const stored = this.#database.row<StoredSession>(`${selectSession} WHERE key = ?`, key);
    if (!stored || !isSame(stored, since)) return;
    this.#empty(key);
    this.#database.run("DELETE FROM session WHERE key = ?", key);
  }

  #session({ source, found }: SessionWork): StoredSession | undefined {
    return this.#database.row(`${selectSession} WHERE source = ? AND place = ?`, source.id, found.place);
  }

  #add({ source, found }: SessionWork): number {
    return this.#database.run(
      "INSERT INTO session (source, place, generation) VALUES (?, ?, 0)",
      source.id,
      found.place,
    );
  }

  #empty(key: number): void {
    dropSession(this.#database, key);
    this.#database.run("DELETE FROM entry WHERE session = ?", key);
    this.#database.run("DELETE FROM detail WHERE session = ?", key);
  }

  #store({ source, found }: SessionWork, key: number, { session, ...written }: Written): void {
    const { fold } = session;
    const path = found.path === undefined ? {} : { path: found.path };
    const info = fold.session({ source: source.name, ...path }, found.time);
    this.#database.run(
      `UPDATE session SET stamp = ?, mark = ?, generation = ?, error = NULL, id = ?, cwd = ?, name = ?, models = ?,
       created = ?, modified = ? WHERE key = ?`,
      ...[written.stamp, written.mark, written.generation, info.id, info.cwd, info.name ?? null],
      ...[info.models.join("\n").toLowerCase(), Date.parse(info.created), Date.parse(info.modified), key],
    );
    this.#database.run(
      "INSERT OR REPLACE INTO detail (session, state, info) VALUES (?, ?, ?)",
      ...[key, JSON.stringify(session.state), JSON.stringify(info)],
    );
  }

  #state(key: number): StoredState | undefined {
    const row = this.#database.row<{ state: string }>("SELECT state FROM detail WHERE session = ?", key);
    return row && JSON.parse(row.state);
  }
}

interface StoredSession {
  readonly key: number;
  readonly generation: number;
  readonly mark: string | null;
}

interface Written {
  readonly session: WrittenSession;
  readonly stamp: string | null;
  readonly mark: string;
  readonly generation: number;
}

const selectSession = "SELECT key, generation, mark FROM session";

function isSame(stored: StoredSession | undefined, since: Progress | undefined): boolean {
  return stored?.generation === since?.generation && (stored?.mark ?? null) === (since?.mark ?? null);
}

interface StoredState {
  readonly fold: FoldState;
  /** Labels of entries that have not come yet. */
  readonly labels: Readonly<Record<string, string>>;
  /** An id came twice: what depends on the order of entries is settled from all of them. */
  readonly hasRepeated: boolean;
}

/** One session while entries are added to it. */
class WrittenSession {
  readonly fold: SessionFold;
  readonly #database: CatalogDatabase;
  readonly #key: number;
  readonly #header: SessionHeader;
  readonly #labels: Map<string, string>;
  #hasRepeated: boolean;

  constructor(database: CatalogDatabase, key: number, header: SessionHeader, state: StoredState | undefined) {
    this.fold = new SessionFold(header, state?.fold);
    this.#database = database;
    this.#key = key;
    this.#header = header;
    this.#labels = new Map(Object.entries(state?.labels ?? {}));
    this.#hasRepeated = state?.hasRepeated ?? false;
  }

  get state(): StoredState {
    return { fold: this.fold.state, labels: Object.fromEntries(this.#labels), hasRepeated: this.#hasRepeated };
  }

  add(entry: SessionTreeEntry): void {
    const known = this.#row(entry.id);
    if (known) this.#forget(known.key);
    const head = headOf(entry, 0);
    this.#insert(columnsOf(entry, head));
    this.fold.add(entry, head, (id) => this.#place(id));
    if (head.type === "label" && typeof head.targetId === "string") this.#label(head.targetId, head.text?.trim());
  }

  settle(): void {
    if (!this.#hasRepeated) return;
    const tree = new SessionTree(this.#header);
    for (const row of this.#rows()) tree.add(headOfRow(row));
    this.fold.settle(tree);
    for (const { id, label } of this.#rows()) {
      const text = tree.labelOf(id) ?? null;
      if (text !== label) this.#label(id, text ?? undefined);
    }
  }

  #rows(): Omit<EntryRow, "text">[] {
    return this.#database.rows(
      "SELECT key, id, parent, type, time, role, rest, label FROM entry WHERE session = ? ORDER BY key",
      this.#key,
    );
  }

  #row(id: string): EntryRow | undefined {
    return this.#database.row("SELECT * FROM entry WHERE session = ? AND id = ?", this.#key, id);
  }

  #place(id: string): Place | undefined {
    const row = this.#database.row<EntryRow>(
      "SELECT key, id, parent, type, time, role, rest FROM entry WHERE session = ? AND id = ?",
      this.#key,
      id,
    );
    return row && headOfRow(row);
  }

  #forget(key: number): void {
    this.#hasRepeated = true;
    dropEntry(this.#database, key);
    this.#database.run("DELETE FROM entry WHERE key = ?", key);
  }

  #insert(columns: EntryColumns): void {
    const label = this.#labels.get(columns.id) ?? null;
    this.#labels.delete(columns.id);
    const { id, parent, type, time, role, tools, rest, text } = columns;
    const kept = this.#database.keepsText ? text : null;
    this.#database.run(
      `INSERT INTO entry (session, id, parent, type, time, role, tools, label, rest, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      this.#key,
      ...[id, parent, type, time, role, tools, label, rest, kept],
    );
  }

  #label(target: string, text: string | undefined): void {
    const label = text ? storable(text) : null;
    const row = this.#row(target);
    if (!row && label !== null) this.#labels.set(target, label);
    if (!row) {
      if (label === null) this.#labels.delete(target);
      return;
    }
    this.#database.run("UPDATE entry SET label = ? WHERE key = ?", label, row.key);
    indexAgain(this.#database, { ...row, label });
  }
}
