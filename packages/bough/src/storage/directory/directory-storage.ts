import { dirname } from "node:path";
import type { SessionMetadata } from "../../entry/header.ts";
import { type CreateOptions, newHeader } from "../../session/new-header.ts";
import { type HostOptions, SessionHost } from "../../session/session-host.ts";
import { type RepoOptions, SessionRepo } from "../../session/session-repo.ts";
import { SessionStorage } from "../../session/session-storage.ts";
import { nodeFileSystem } from "../files/file-system.ts";
import { realPath } from "../files/real-path.ts";
import { localFactory } from "../files/system-random.ts";
import { DirectoryLog } from "./directory-log.ts";
import { DirectoryStore } from "./directory-store.ts";

/** A session in a folder of its own; its forks become folders beside it. */
export class DirectoryStorage<TMetadata extends SessionMetadata = SessionMetadata> extends SessionStorage<TMetadata> {
  /** Rejects with `not_found`, `invalid_session`, `unsupported_version`. Writes nothing. */
  static async open<T extends SessionMetadata>(path: string, options: HostOptions = {}): Promise<DirectoryStorage<T>> {
    return DirectoryStorage.#over(DirectoryLog.open(path, options), { factory: localFactory, ...options });
  }

  /** Rejects with `already_exists`. */
  static async create<T extends SessionMetadata>(
    path: string,
    options: CreateOptions<T> & HostOptions = {},
  ): Promise<DirectoryStorage<T>> {
    const { factory = localFactory } = options;
    const log = DirectoryLog.create(path, newHeader(options, factory), [], options);
    return DirectoryStorage.#over(log, { ...options, factory });
  }

  static #over<T extends SessionMetadata>(log: DirectoryLog, options: HostOptions): DirectoryStorage<T> {
    const location = realPath(log.path, nodeFileSystem);
    return new DirectoryStorage<T>(SessionHost.openSync(log, options), {
      store: new DirectoryStore({ ...options, root: dirname(location) }),
      ref: { id: log.header.id, location },
      adopt: (stored) => SessionHost.open(stored.log, options),
    });
  }
}

/** Sessions as folders below one directory. */
export class DirectoryRepo<TMetadata extends SessionMetadata = SessionMetadata> extends SessionRepo<TMetadata> {
  constructor({ root, ...options }: Omit<RepoOptions, "store"> & { readonly root: string }) {
    const store = new DirectoryStore({ ...options, root });
    super({ cwd: process.cwd(), factory: localFactory, ...options, store });
  }
}
