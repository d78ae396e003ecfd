import type { CatalogDatabase } from "./database.ts";
import { errorNote } from "./error-note.ts";
import { parsedColumn } from "./json-column.ts";
import type { FoundSession, SessionPiece } from "./source.ts";
import { dropSession } from "./text-index.ts";
import { type StoredState, WrittenSession } from "./written-session.ts";

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
    return row && parsedColumn<StoredState>(row.state);
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
