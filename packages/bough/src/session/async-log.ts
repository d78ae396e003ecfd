import type { EntryLog, SyncEntryLog } from "./entry-log.ts";

/** The one adapter from synchronous logs to the port that `Session` speaks. */
export function asyncLog(log: SyncEntryLog): EntryLog {
  const adapted: EntryLog = {
    get header() {
      return log.header;
    },
    changes: async (view) => log.changes(view),
    ...(log.older && { older: log.older }),
    read: async (positions, use) => log.read(positions, use),
    storedLines: async (runs) => log.storedLines?.(runs),
    readBlobs: async (digests) => log.readBlobs?.(digests) ?? new Map(),
    append: async (batches) => log.append(batches),
    sync: () => log.sync(),
    close: async () => log.close(),
  };
  adapters.set(adapted, log);
  return adapted;
}

/** What `asyncLog` made this log of. */
export function syncLogOf(log: EntryLog): SyncEntryLog | undefined {
  return adapters.get(log);
}

/** A log whose I/O is synchronous, itself or below an adapter. */
export function asSyncLog(log: EntryLog | SyncEntryLog): SyncEntryLog | undefined {
  return isSync(log) ? log : syncLogOf(log);
}

function isSync(log: EntryLog | SyncEntryLog): log is SyncEntryLog {
  return "syncNow" in log;
}

const adapters = new WeakMap<EntryLog, SyncEntryLog>();
