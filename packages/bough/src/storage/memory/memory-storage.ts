import type { SessionMetadata } from "../../entry/header.ts";
import { type CreateOptions, newHeader } from "../../session/new-header.ts";
import { type HostOptions, SessionHost } from "../../session/session-host.ts";
import { type RepoOptions, SessionRepo } from "../../session/session-repo.ts";
import { SessionStorage } from "../../session/session-storage.ts";
import { MemoryLog } from "./memory-log.ts";
import { MemoryRecords } from "./memory-records.ts";
import { MemoryStore } from "./memory-store.ts";

/** A session of its own in memory, for tests and for conversations that nobody wants to keep. */
export class MemoryStorage<TMetadata extends SessionMetadata = SessionMetadata> extends SessionStorage<TMetadata> {
  constructor(options: CreateOptions<TMetadata> & HostOptions = {}) {
    const records = new MemoryRecords(newHeader(options, options.factory));
    const store = new MemoryStore();
    const { ref } = store.add(records);
    super(SessionHost.openSync(new MemoryLog(records), options), {
      store,
      ref,
      adopt: ({ log }) => SessionHost.open(log, options),
    });
  }
}

/** Sessions in memory. */
export class MemoryRepo<TMetadata extends SessionMetadata = SessionMetadata> extends SessionRepo<TMetadata> {
  constructor(options: Omit<RepoOptions, "store"> = {}) {
    super({ ...options, store: new MemoryStore() });
  }
}
