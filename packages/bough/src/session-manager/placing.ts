import { dirname, join, resolve } from "node:path";
import type { SessionHeader, SessionMetadata } from "../entry/header.ts";
import { jsonCopy } from "../entry/json.ts";
import { isBoughError } from "../errors.ts";
import { type Durability, durabilityOf } from "../session/durability.ts";
import type { EntryFactory } from "../session/entry-factory.ts";
import type { SyncEntryLog } from "../session/entry-log.ts";
import { type ForkTarget, forkCopies, forkHeader, forkRecords, proveTarget } from "../session/fork.ts";
import { newHeader, requireSessionId } from "../session/new-header.ts";
import type { Program } from "../session/program.ts";
import { type FileSystem, nodeFileSystem } from "../storage/files/file-system.ts";
import { publishingAt } from "../storage/files/publish.ts";
import { localFactory } from "../storage/files/system-random.ts";
import { JsonlLog, type JsonlLogOptions } from "../storage/jsonl/index.ts";
import { sessionFileName } from "../storage/jsonl/project-folder.ts";
import { publishSessionSync } from "../storage/jsonl/publish-session.ts";
import { MemoryLog, MemoryRecords } from "../storage/memory/index.ts";
import { DeferredLog } from "./deferred-log.ts";
import { type FileEntry, sessionOf } from "./given-entries.ts";
import { OpenSession } from "./open-session.ts";

export interface ManagerOptions {
  /** `turn` unless said otherwise. */
  readonly durability?: Durability;
  readonly factory?: EntryFactory;
  readonly fileSystem?: FileSystem;
}

export interface NewSessionOptions {
  /** Letters, digits, `.`, `_`, `-`, at most 200, the ends letters or digits; minted unless given. */
  readonly id?: string;
  /** Path of the session this one continues. */
  readonly parentSession?: string;
  readonly metadata?: SessionMetadata;
}

/** Where a manager puts new sessions, and how it keeps any. */
export interface Home {
  /** Absolute, as every path here: what a program does to its working directory later changes nothing. */
  readonly cwd: string;
  /** Absent where sessions are kept in memory. */
  readonly directory?: string;
  readonly options: ManagerOptions;
}

/** An open session, and the path it has or will have. */
export interface PlacedSession {
  readonly session: OpenSession;
  readonly file?: string;
}

/** Begins a session. One of a file is stored with its first message of the user or the model, one in memory may have `entries`. */
export function beginSession(
  { cwd, directory, options }: Home,
  given: NewSessionOptions,
  entries: readonly FileEntry[] = [],
): PlacedSession {
  const header = newHeader({ cwd, ...given }, factoryOf(options));
  if (directory === undefined) {
    const session = sessionOf(entries, header);
    return { session: opened(new MemoryLog(new MemoryRecords(session.header, session.entries)), options) };
  }
  return deferred(join(directory, sessionFileName(header)), header, options);
}

/** Writes nothing. Where there is no file, or an empty one, a session of that path begins. Throws `invalid_session`. */
export function openSession(path: string, { cwd, options }: Omit<Home, "directory">): PlacedSession {
  const file = resolve(path);
  try {
    return { session: opened(JsonlLog.open(file, logOptions(options)), options), file };
  } catch (error) {
    if (!isBoughError(error, "not_found")) throw error;
    return deferred(file, newHeader({ cwd }, factoryOf(options)), options);
  }
}

/** A session of any synchronous log, which the manager owns from now on. */
export function openLog(log: SyncEntryLog, options: ManagerOptions): PlacedSession {
  return { session: opened(log, options) };
}

/** Reads a session that is only to be copied. Throws `not_found`. */
export function openSource(path: string, options: ManagerOptions): OpenSession {
  const unsynced = { ...options, durability: "process" } as const;
  return opened(JsonlLog.open(resolve(path), logOptions(unsynced)), unsynced);
}

/** Copies what `target` names into a session of its own, which is stored when this returns. The source is not touched. */
export function copySession(
  source: OpenSession,
  target: ForkTarget,
  { cwd, directory, options }: Home,
  { id, parentSession, metadata }: NewSessionOptions,
): PlacedSession {
  const factory = factoryOf(options);
  if (id !== undefined) requireSessionId(id);
  const given = {
    id: id ?? factory.newId(),
    cwd,
    ...(parentSession !== undefined && { parentSession }),
    ...(metadata !== undefined && { metadata: jsonCopy(metadata) }),
  };
  const { state } = source;
  source.read(proveTarget(state, target));
  if (directory === undefined) {
    const { inheritedEntries, pieces } = forkRecords(state, target);
    const memory = new MemoryRecords(forkHeader(state.header, inheritedEntries, given, factory));
    for (const batch of piecesOf(source, pieces)) memory.add(batch);
    return { session: opened(new MemoryLog(memory), options) };
  }
  const { inheritedEntries, pieces } = forkCopies(state, target);
  const header = forkHeader(state.header, inheritedEntries, given, factory);
  const file = join(directory, sessionFileName(header));
  const { durability, fileSystem = nodeFileSystem } = logOptions(options);
  publishSessionSync(file, header, piecesOf(source, pieces), publishingAt(durability, fileSystem));
  return { session: opened(JsonlLog.open(file, logOptions(options)), options), file };
}

function* piecesOf<T>(source: OpenSession, programs: Iterable<Program<T>>): Generator<T, undefined> {
  for (const program of programs) yield source.read(program);
}

export function homeOf(file: string): string {
  return dirname(resolve(file));
}

function deferred(file: string, header: SessionHeader, options: ManagerOptions): PlacedSession {
  return { session: opened(new DeferredLog(file, header, logOptions(options)), options), file };
}

function opened(log: SyncEntryLog, options: ManagerOptions): OpenSession {
  return new OpenSession(log, { ...options, factory: factoryOf(options) });
}

function factoryOf({ factory = localFactory }: ManagerOptions): EntryFactory {
  return factory;
}

function logOptions({ durability, fileSystem }: ManagerOptions): JsonlLogOptions {
  return { durability: durabilityOf(durability), ...(fileSystem && { fileSystem }) };
}
