import type { SessionHeader } from "../../entry/header.ts";
import { SessionError } from "../../errors.ts";
import { matchSession } from "../../session/match-session.ts";
import { cwdMatcher } from "../files/cwd.ts";
import { type FileSystem, nodeFileSystem } from "../files/file-system.ts";
import { listSessions } from "./list-sessions.ts";
import { type FoundFile, sessionFiles } from "./session-files.ts";
import { readHeaderOf } from "./session-lines.ts";
import { idInName } from "./summary.ts";

/** The file of the session with exactly this id, undefined if there is none. Throws `ambiguous`, with paths. */
export function fileOfId(id: string, files: readonly FoundFile[], fileSystem: FileSystem): string | undefined {
  for (const candidates of likeliestFirst(id, files)) {
    const found = candidates.map(({ path }) => path).filter((path) => idOf(path, fileSystem) === id);
    if (found.length > 1) throw ambiguous(id, found);
    if (found[0] !== undefined) return found[0];
  }
  return undefined;
}

/** The file of the session of `cwd` with exactly this id, by headers alone; of several any. What can't be read is left out. */
export function sessionOfId(
  root: string,
  cwd: string,
  id: string,
  fileSystem: FileSystem = nodeFileSystem,
): string | undefined {
  const isWanted = cwdMatcher(cwd);
  const readable = sessionFiles(root, fileSystem).filter(({ error }) => error === undefined);
  const isIt = ({ path }: FoundFile) => {
    const header = headerOf(path, fileSystem);
    return header?.id === id && isWanted(header.cwd);
  };
  return likeliestFirst(id, readable).flat().find(isIt)?.path;
}

/** Those that have the id in their names, and the others. */
function likeliestFirst(id: string, files: readonly FoundFile[]): readonly (readonly FoundFile[])[] {
  return [files.filter(({ path }) => path.includes(id)), files.filter(({ path }) => !path.includes(id))];
}

/** By the header; of a file that can't be read, by the name, so that opening it can say what is wrong. */
export function idOf(path: string, fileSystem: FileSystem): string | undefined {
  return headerOf(path, fileSystem)?.id ?? idInName(path);
}

/** Undefined if it can't be read. */
export function headerOf(path: string, fileSystem: FileSystem): SessionHeader | undefined {
  try {
    return readHeaderOf(path, fileSystem).header;
  } catch {
    return undefined;
  }
}

/**
 * The file that a name or a part of an id stands for. Names stand anywhere in a file, so all files are read, unless the
 * query can hardly be anything but a part of an id that file names tell.
 */
export async function fileOfQuery(
  query: string,
  files: readonly FoundFile[],
): Promise<{ readonly id: string; readonly path: string }> {
  const known = idPart.test(query) ? named(files).filter(({ id }) => id.startsWith(query) || id.endsWith(query)) : [];
  return matchSession(query, known.length > 0 ? known : await read(files));
}

/** Has a digit in it, so that it is no word. */
const idPart = /^(?=.*\d)[0-9a-f-]{4,}$/;

function named(files: readonly FoundFile[]): { readonly id: string; readonly path: string }[] {
  return files.flatMap(({ path }) => {
    const id = idInName(path);
    return id === undefined ? [] : [{ id, path }];
  });
}

async function read(files: readonly FoundFile[]): Promise<{ id: string; name?: string; path: string }[]> {
  const sessions: { id: string; name?: string; path: string }[] = [];
  for await (const listing of listSessions(files, {})) {
    const { id, path } = listing;
    if (id === undefined || path === undefined) continue;
    const name = listing.status === "ok" ? listing.name : undefined;
    sessions.push({ id, path, ...(name !== undefined && { name }) });
  }
  return sessions;
}

function ambiguous(id: string, candidates: readonly string[]): SessionError {
  return new SessionError("ambiguous", `${candidates.length} sessions have the id ${id}`, { id, candidates });
}
