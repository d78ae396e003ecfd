import type { SessionTreeEntry } from "../entry/entry.ts";
import type { SessionHeader } from "../entry/header.ts";
import { type Place, Positions } from "../tree/positions.ts";
import { SessionTree } from "../tree/session-tree.ts";
import type { CatalogDatabase } from "./database.ts";
import {
  columnsOf,
  type EntryColumns,
  type EntryRow,
  headOf,
  headOfRow,
  idOf,
  type PlaceRow,
  placeColumns,
  placeOf,
  storable,
  storedId,
} from "./entry-row.ts";
import { type FoldState, SessionFold } from "./session-fold.ts";
import { dropEntry, indexAgain } from "./text-index.ts";

export interface StoredState {
  readonly fold: FoldState;
  /** Labels of entries that have not come yet. */
  readonly labels: Readonly<Record<string, string>>;
  /** An id came twice: what depends on the order of entries is settled from all of them. */
  readonly hasRepeated: boolean;
}

/** One session while entries are added to it. */
export class WrittenSession {
  readonly fold: SessionFold;
  readonly #database: CatalogDatabase;
  readonly #key: number;
  readonly #header: SessionHeader;
  readonly #labels: Map<string, string>;
  readonly #positions = new Positions({ get: (id) => this.#place(id) });
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
    this.fold.add(entry, head, this.#positions);
    if (head.type === "label" && typeof head.targetId === "string") this.#label(head.targetId, head.text?.trim());
  }

  settle(): void {
    if (!this.#hasRepeated) return;
    const tree = new SessionTree(this.#header);
    for (const row of this.#rows()) tree.add(headOfRow(row));
    this.fold.settle(tree);
    for (const { id, label } of this.#rows()) {
      const text = tree.labelOf(idOf(id)) ?? null;
      if (text !== label) this.#label(idOf(id), text ?? undefined);
    }
  }

  #rows(): Omit<EntryRow, "text">[] {
    return this.#database.rows(
      "SELECT key, id, parent, type, time, role, rest, label FROM entry WHERE session = ? ORDER BY key",
      this.#key,
    );
  }

  #row(id: string): EntryRow | undefined {
    return this.#database.row("SELECT * FROM entry WHERE session = ? AND id = ?", this.#key, storedId(id));
  }

  #place(id: string): Place | undefined {
    const row = this.#database.row<PlaceRow>(
      `SELECT ${placeColumns} FROM entry WHERE session = ? AND id = ?`,
      this.#key,
      storedId(id),
    );
    return row && placeOf(row);
  }

  #forget(key: number): void {
    this.#hasRepeated = true;
    this.#positions.forget();
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
      ...[storedId(id), parent === null ? null : storedId(parent), type, time, role, tools, label, rest, kept],
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
