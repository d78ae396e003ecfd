import type { EntryHead } from "../entry/head.ts";
import type { EntryLog } from "../session/entry-log.ts";
import type { SessionListing, SessionStore } from "../session/session-store.ts";
import { nodeCrypto } from "../storage/files/node-modules.ts";
import type { CatalogSource, FoundSession, SessionPiece } from "./source.ts";

export interface StoreSourceOptions {
  readonly name: string;
  /** Names the store in the catalog for good. */
  readonly id: string;
  readonly store: SessionStore;
}

/**
 * The sessions of any store, through their heads: bodies are read once, heads of every session with every update, since
 * nothing else tells for all stores whether a session has changed.
 */
export function storeSource({ name, id, store }: StoreSourceOptions): CatalogSource {
  let looks = 0;
  return {
    name,
    id,
    async *sessions(signal) {
      const look = `${Date.now()}.${looks++}`;
      for await (const listing of store.list(signal ? { signal } : {})) {
        const found = foundIn(listing, look);
        if (found) yield found;
      }
    },
    async *read(session, since) {
      const location = session.path === undefined ? {} : { location: session.path };
      const { log } = await store.open({ id: session.place, ...location });
      try {
        yield* piecesOf(log, session, since);
      } finally {
        await log.close();
      }
    },
  };
}

function foundIn(listing: SessionListing, look: string): FoundSession | undefined {
  const { id, path } = listing;
  if (id === undefined) return undefined;
  const place = { place: id, ...(path !== undefined && { path }), stamp: look };
  if (listing.status === "unreadable") return { ...place, time: new Date(0), error: listing.error };
  return { ...place, time: new Date(Date.parse(listing.modified) || 0) };
}

const pieceHeads = 500;

async function* piecesOf(
  log: EntryLog,
  { stamp }: FoundSession,
  since: string | undefined,
): AsyncGenerator<SessionPiece> {
  const { heads, diagnostics } = await log.changes();
  const tail = diagnostics.map(({ code }) => code);
  let read = readAs(heads, since);
  let kind: SessionPiece["kind"] = read ? "more" : "fresh";
  read ??= new ReadHeads();
  do {
    const next = heads.slice(read.count, read.count + pieceHeads);
    const entries = await log.read(next.map(({ position }) => position));
    read.add(next);
    const records = entries.map((entry) => ({ entry, damage: [] }));
    yield { kind, header: log.header, records, stamp, mark: read.mark, tail, bytes: next.length * usualEntry };
    kind = "more";
  } while (read.count < heads.length);
}

/** A guess. */
const usualEntry = 4 << 10;

/** How many heads were read, and which. */
class ReadHeads {
  readonly #hash = nodeCrypto().createHash("sha256");
  count = 0;

  add(heads: readonly EntryHead[]): void {
    for (const { id } of heads) this.#hash.update(`${id}\n`);
    this.count += heads.length;
  }

  get mark(): string {
    return `${this.count}:${this.#hash.copy().digest("hex")}`;
  }
}

/** Undefined if what was read is not how the session begins any more. */
function readAs(heads: readonly EntryHead[], mark: string | undefined): ReadHeads | undefined {
  const [, count] = /^(\d+):/.exec(mark ?? "") ?? [];
  if (count === undefined || Number(count) > heads.length) return undefined;
  const read = new ReadHeads();
  read.add(heads.slice(0, Number(count)));
  return read.mark === mark ? read : undefined;
}
