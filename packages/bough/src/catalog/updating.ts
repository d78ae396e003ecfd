import { isBoughError } from "../errors.ts";
import { isInside } from "../storage/files/real-path.ts";
import { Turns } from "../storage/files/turns.ts";
import type { CatalogDatabase } from "./database.ts";
import { type Progress, type SessionWork, SessionWriter } from "./session-writer.ts";
import type { CatalogSource, SessionPiece } from "./source.ts";
import { indexProgress, indexSome } from "./text-index.ts";

export interface UpdateOptions {
  /** Lists are current without the text index, which takes longer than all the rest; until it is whole, searches read the sessions. */
  readonly textIndex?: boolean;
  /** First the sessions that have to be read, then the entries that have to be indexed. */
  readonly onProgress?: (done: number, total: number, what: "sessions" | "entries") => void;
  readonly signal?: AbortSignal;
}

/** Small enough that others don't wait and a kill costs little, large enough that commits don't count. */
const batchBytes = 1 << 20;
const batchPieces = 64;

/** Other processes may work on the same sessions; what they leave behind is looked at again. */
const maxRounds = 3;

/** Brings the database up to what the sources hold now. */
export async function bringUpToDate(
  database: CatalogDatabase,
  sources: readonly CatalogSource[],
  options: UpdateOptions,
): Promise<void> {
  for (let round = 0; round < maxRounds; round++) {
    const update = new Update(database, options);
    for (const source of sources) await update.look(source);
    await update.read();
    if (update.hasForgotten) database.emptyLog();
    if (update.wasOvertaken) continue;
    for (const source of sources) noteFilled(database, source);
    break;
  }
  if (options.textIndex !== false) await indexTexts(database, options);
}

/** Whether all that the source held was taken in, once at least. */
export function isFilled(database: CatalogDatabase, { id }: CatalogSource): boolean {
  return database.row("SELECT 1 FROM filled WHERE source = ?", id) !== undefined;
}

function noteFilled(database: CatalogDatabase, source: CatalogSource): void {
  if (!isFilled(database, source)) database.run("INSERT OR IGNORE INTO filled VALUES (?)", source.id);
}

/** Whether the text index has all that was taken in of these sources. */
export function isTextIndexed(database: CatalogDatabase, sources: readonly CatalogSource[]): boolean {
  if (!database.keepsText || !sources.every((source) => isFilled(database, source))) return false;
  const { done, total } = indexProgress(database);
  return done >= total;
}

async function indexTexts(database: CatalogDatabase, { signal, onProgress }: UpdateOptions): Promise<void> {
  const { done: start } = indexProgress(database);
  while (indexSome(database)) {
    const { done, total } = indexProgress(database);
    onProgress?.(done - start, total - start, "entries");
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
}

interface Task extends SessionWork {
  readonly source: CatalogSource;
  readonly since: Progress | undefined;
}

interface Taken {
  readonly task: RunningTask;
  readonly piece: SessionPiece;
  readonly isLast: boolean;
}

/** `at` moves as pieces are stored; undefined before any. */
interface RunningTask extends Task {
  at: Progress | undefined;
  isOvertaken: boolean;
}

interface KnownSession extends Progress {
  readonly key: number;
  readonly place: string;
  readonly stamp: string | null;
}

class Update {
  wasOvertaken = false;
  hasForgotten = false;
  readonly #database: CatalogDatabase;
  readonly #writer: SessionWriter;
  readonly #options: UpdateOptions;
  readonly #tasks: Task[] = [];
  readonly #turns = new Turns();
  #batch: Taken[] = [];
  #batchBytes = 0;

  constructor(database: CatalogDatabase, options: UpdateOptions) {
    this.#database = database;
    this.#writer = new SessionWriter(database);
    this.#options = options;
  }

  /** Finds out what changed, and forgets what is gone: of what was known before it looked, lest it forget what is new. */
  async look(source: CatalogSource): Promise<void> {
    const known = new Map(this.#knownOf(source).map((session) => [session.place, session]));
    const hidden: string[] = [];
    for await (const found of source.sessions(this.#options.signal)) {
      await this.#takeTurn();
      const before = known.get(found.place);
      known.delete(found.place);
      if (found.error !== undefined && !isBoughError(found.error, "outside_store")) hidden.push(found.place);
      if (before?.stamp !== found.stamp || found.error !== undefined)
        this.#tasks.push({ source, found, since: before });
    }
    const gone = [...known.values()].filter(({ place }) => !hidden.some((at) => place === at || isInside(place, at)));
    for (const session of gone) {
      await this.#takeTurn();
      this.hasForgotten = true;
      this.#database.transaction(() => this.#writer.remove(session.key, session));
    }
  }

  /** Oldest first, so that what is newer has the higher keys, which searches begin with. Whoever ends it keeps what was read. */
  async read(): Promise<void> {
    const { onProgress } = this.#options;
    const tasks = this.#tasks.sort((a, b) => a.found.time.getTime() - b.found.time.getTime());
    try {
      for (const [done, task] of tasks.entries()) {
        await this.#takeTurn();
        onProgress?.(done, tasks.length, "sessions");
        await this.#readOne({ ...task, at: task.since, isOvertaken: false });
      }
    } finally {
      this.#flush();
    }
    if (tasks.length > 0) onProgress?.(tasks.length, tasks.length, "sessions");
  }

  async #readOne(task: RunningTask): Promise<void> {
    const { source, found } = task;
    try {
      if (found.error !== undefined) throw found.error;
      let last: SessionPiece | undefined;
      for await (const piece of source.read(found, task.since?.mark ?? undefined)) {
        if (last) this.#queue({ task, piece: last, isLast: false });
        await this.#takeTurn();
        if (task.isOvertaken) return;
        last = piece;
      }
      if (last) this.#queue({ task, piece: last, isLast: true });
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#flush();
      this.#database.transaction(() => this.#writer.fail(task, error, task.at));
    }
  }

  async #takeTurn(): Promise<void> {
    if (this.#turns.isOver) await this.#turns.next();
    this.#options.signal?.throwIfAborted();
  }

  #queue(taken: Taken): void {
    this.#batch.push(taken);
    this.#batchBytes += taken.piece.bytes;
    if (this.#batchBytes >= batchBytes || this.#batch.length >= batchPieces) this.#flush();
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    if (batch.length === 0) return;
    this.#database.transaction(() => {
      for (const { task, piece, isLast } of batch) {
        if (task.isOvertaken) continue;
        const at = this.#writer.take(task, piece, task.at, isLast);
        if (at) task.at = at;
        else task.isOvertaken = true;
        this.wasOvertaken ||= task.isOvertaken;
      }
    });
  }

  #knownOf(source: CatalogSource): KnownSession[] {
    return this.#database.rows("SELECT key, place, stamp, generation, mark FROM session WHERE source = ?", source.id);
  }
}
