import { BoughError, isBoughError, kindOf, type Session, type SessionTreeEntry } from "bough";
import { completeEntry, parseLine } from "./appended-line.ts";

/**
 * Takes lines in order and stores those that arrived together in one write. The first that is refused ends it with an
 * error that names its number; those before it are stored and have been announced.
 */
export class Appending {
  readonly #session: Session;
  readonly #announce: (entry: SessionTreeEntry) => Promise<void>;
  #line = 0;
  #batch: { readonly line: number; readonly entry: SessionTreeEntry }[] = [];
  #tip: string | null;

  /** `announce` hears of each entry once it would survive a power loss, given that the session promises that. */
  constructor(session: Session, announce: (entry: SessionTreeEntry) => Promise<void>) {
    this.#session = session;
    this.#announce = announce;
    this.#tip = session.leafId;
  }

  async add(lines: readonly Uint8Array[]): Promise<void> {
    for (const bytes of lines) {
      this.#line++;
      const entry = await this.#entryOf(bytes);
      if (entry === undefined) continue;
      const isMark = kindOf(entry) === "mark";
      if (isMark) await this.#flush();
      this.#batch.push({ line: this.#line, entry });
      if (isMark) await this.#flush();
    }
    await this.#flush();
  }

  async #entryOf(bytes: Uint8Array): Promise<SessionTreeEntry | undefined> {
    try {
      const line = parseLine(bytes);
      if (line === undefined) return undefined;
      const twin = typeof line.id === "string" ? await this.#known(line.id) : undefined;
      const entry = await completeEntry(line, { session: this.#session, leafId: this.#tip, twin });
      if (!twin && kindOf(entry) !== "mark") this.#tip = entry.id;
      return entry;
    } catch (error) {
      await this.#flush();
      throw atLine(this.#line, error);
    }
  }

  async #known(id: string): Promise<SessionTreeEntry | undefined> {
    return this.#batch.find(({ entry }) => entry.id === id)?.entry ?? (await this.#session.getEntry(id));
  }

  async #flush(): Promise<void> {
    const batch = this.#batch.splice(0);
    if (batch.length > 1 && (await this.#storeTogether(batch.map(({ entry }) => entry)))) return;
    for (const { line, entry } of batch) await this.#store(line, entry);
  }

  /** False if something of it was refused, and so nothing was stored. */
  async #storeTogether(entries: readonly SessionTreeEntry[]): Promise<boolean> {
    try {
      await this.#session.storage.appendEntries(entries);
    } catch (error) {
      if (isBoughError(error) && !error.code.startsWith("storage")) return false;
      throw error;
    }
    for (const entry of entries) await this.#announce(entry);
    return true;
  }

  async #store(line: number, entry: SessionTreeEntry): Promise<void> {
    const { storage } = this.#session;
    try {
      // A mark says nothing about where this session stands, so it leaves the cursor alone; only a leaf moves it.
      const isMark = kindOf(entry) === "mark" && entry.type !== "leaf";
      await storage.append({ kind: "entries", entries: [entry], ...(!isMark && { cursor: storage.cursor }) });
    } catch (error) {
      throw atLine(line, error);
    }
    this.#tip = this.#session.leafId;
    await this.#announce(entry);
  }
}

function atLine(line: number, error: unknown): unknown {
  if (!isBoughError(error)) return error;
  return new BoughError(error.code, `line ${line}: ${error.message}`, error.details, { cause: error });
}
