import { dirname } from "node:path";
import type { SessionMetadata } from "../../entry/header.ts";
import { isBoughError } from "../../errors.ts";
import { type CreateOptions, newHeader } from "../../session/new-header.ts";
import { type HostOptions, SessionHost } from "../../session/session-host.ts";
import { type RepoOptions, SessionRepo } from "../../session/session-repo.ts";
import { SessionStorage } from "../../session/session-storage.ts";
import { localFactory } from "../files/system-random.ts";
import { JsonlLog } from "./jsonl-log.ts";
import { JsonlStore } from "./jsonl-store.ts";

export interface OpenFileOptions<TMetadata extends SessionMetadata = SessionMetadata> extends HostOptions {
  /** Begins a session at a path where there is none, or an empty file. */
  readonly create?: CreateOptions<TMetadata>;
}

/** A session in a file of its own; its forks become files of the project's folder beside it. */
export class JsonlStorage<TMetadata extends SessionMetadata = SessionMetadata> extends SessionStorage<TMetadata> {
  /** Writes nothing unless it creates. Rejects with `not_found`, `invalid_session`, `unsupported_version`. */
  static async open<T extends SessionMetadata>(
    path: string,
    options: OpenFileOptions<T> = {},
  ): Promise<JsonlStorage<T>> {
    const { create } = options;
    try {
      return JsonlStorage.#over(JsonlLog.open(path, options), { factory: localFactory, ...options });
    } catch (error) {
      if (!create || !isBoughError(error, "not_found")) throw error;
      return await JsonlStorage.create(path, { ...options, ...create });
    }
  }

  /** Rejects with `already_exists`. */
  static async create<T extends SessionMetadata>(
    path: string,
    options: CreateOptions<T> & HostOptions = {},
  ): Promise<JsonlStorage<T>> {
    const { factory = localFactory } = options;
    const log = JsonlLog.create(path, newHeader(options, factory), [], options);
    return JsonlStorage.#over(log, { ...options, factory });
  }

  static #over<T extends SessionMetadata>(log: JsonlLog, options: HostOptions): JsonlStorage<T> {
    return new JsonlStorage<T>(SessionHost.openSync(log, options), {
      store: new JsonlStore({ ...options, root: dirname(log.path) }),
      ref: { id: log.header.id, location: log.path },
      adopt: (stored) => SessionHost.open(stored.log, options),
    });
  }
}

/** Sessions as files below one directory: `$BOUGH_HOME/sessions`, or `~/.bough/sessions`, unless told otherwise. */
export class JsonlRepo<TMetadata extends SessionMetadata = SessionMetadata> extends SessionRepo<TMetadata> {
  constructor({ root, ...options }: Omit<RepoOptions, "store"> & { readonly root?: string } = {}) {
    const store = new JsonlStore({ ...options, ...(root !== undefined && { root }) });
    super({ cwd: process.cwd(), factory: localFactory, ...options, store });
  }
}
