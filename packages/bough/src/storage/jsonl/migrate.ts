import type { SessionTreeEntry, SessionTreeEntryBase } from "../../entry/entry.ts";
import { isJsonObject, type JsonObject, jsonText } from "../../entry/json.ts";
import { jsonValue } from "../../entry/json-value.ts";
import { SessionError } from "../../errors.ts";
import { encodeHeader } from "../../format/encode.ts";
import { lineText } from "../../format/line-text.ts";
import type { Line } from "../../format/lines.ts";
import { SessionDecoder } from "../../format/session-decoder.ts";
import { type FileSystem, nodeFileSystem } from "../files/file-system.ts";
import { withLease } from "./lease.ts";
import { type LineConversion, replaceFile } from "./replace-file.ts";
import { decodedLines, type Extent, readHeaderOf } from "./session-lines.ts";
import { headFirstJson, lineOf, verbatim } from "./written-line.ts";

export type Migration = { readonly status: "current" } | { readonly status: "migrated"; readonly backup: string };

/**
 * Replaces a session file of an older version by one of the current version with the same entries; the old file stays
 * as `<file>.v<version>.bak`. Lines that need no change keep their bytes. Throws `busy` while another process has the
 * session's lease, `unsupported_version` for a newer one.
 */
export function migrateFile(path: string, fileSystem: FileSystem = nodeFileSystem): Migration {
  const { header, access } = readHeaderOf(path, fileSystem);
  if (access === "append") return { status: "current" };
  return withLease({ file: path, id: header.id, doing: "migrate" }, () => migrateLeased(path, fileSystem));
}

function migrateLeased(path: string, fileSystem: FileSystem): Migration {
  const { access, version } = readHeaderOf(path, fileSystem);
  if (access === "append") return { status: "current" };
  if (access === "read_only") {
    throw new SessionError("unsupported_version", `${path} has version ${version}`, { version, path });
  }
  const backup = replaceFile(
    path,
    {
      conversion: () => upgrade(new SessionDecoder({ path })),
      verify: (source, copy) => requireSameEntries(source, copy, path, fileSystem),
      backup: `v${version}`,
    },
    fileSystem,
  );
  return { status: "migrated", backup };
}

function upgrade(decoder: SessionDecoder): LineConversion {
  return (line) => {
    const isAfterHeader = decoder.header !== undefined;
    const { entry } = decoder.decode(line);
    if (!isAfterHeader && decoder.header) return lineOf(encodeHeader(decoder.header));
    if (!entry) return verbatim(line);
    const stored = parsed(line);
    if (stored === undefined) return verbatim(line);
    const record = current(stored, entry);
    return jsonText(record) === jsonText(stored) ? verbatim(line) : lineOf(headFirstJson(record));
  };
}

/** What can't be used keeps its fields; only its place is written out, since nothing will tell it any more. */
function current(stored: JsonObject, entry: SessionTreeEntry): SessionTreeEntryBase {
  if (entry.type !== "damaged" || stored.type === "damaged") return entry;
  const { id, parentId, timestamp } = entry;
  return { ...stored, type: entry.originalType, id, parentId, timestamp };
}

function parsed(line: Line): JsonObject | undefined {
  try {
    const value: unknown = jsonValue(lineText(line).text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function requireSameEntries(source: Extent, copy: Extent, path: string, fileSystem: FileSystem): void {
  const decoder = new SessionDecoder({ path });
  const written = entryTexts(copy, fileSystem, decoder);
  for (const text of entryTexts(source, fileSystem, new SessionDecoder({ path }))) {
    if (written.next().value !== text) throw mismatch(path);
  }
  if (!written.next().done || decoder.access !== "append") throw mismatch(path);
}

function* entryTexts(extent: Extent, fileSystem: FileSystem, decoder: SessionDecoder): Generator<string> {
  for (const { entry } of decodedLines(extent, fileSystem, decoder)) if (entry) yield headFirstJson(entry);
}

function mismatch(path: string): SessionError {
  return new SessionError("invalid_state", `The migrated copy of ${path} does not hold the same entries`, {
    reason: "copy_differs",
  });
}
