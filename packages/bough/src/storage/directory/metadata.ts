import { join } from "node:path";
import type { SessionHeader } from "../../entry/header.ts";
import { SessionError } from "../../errors.ts";
import { encodeHeader } from "../../format/encode.ts";
import { SessionDecoder } from "../../format/session-decoder.ts";
import { noHeader } from "../../format/stored-header.ts";
import { isMissing, storageError } from "../files/file-errors.ts";
import { type FileSystem, readWhole, uninterrupted } from "../files/file-system.ts";

export function metadataPath(session: string): string {
  return join(session, "metadata.json");
}

/** A decoder that knows the session's header. Throws `not_found`, `invalid_session`, `unsupported_version`. */
export function decoderOf(session: string, fileSystem: FileSystem): SessionDecoder {
  const path = metadataPath(session);
  const bytes = bytesAt(path, session, fileSystem);
  const decoder = new SessionDecoder({ path });
  decoder.decode({ bytes, start: 0, end: bytes.length, terminated: true });
  if (decoder.header) return decoder;
  throw noHeader(path);
}

export function metadataOf(header: SessionHeader): Uint8Array {
  return Buffer.from(`${encodeHeader(header)}\n`);
}

/** Another one when the file is another; undefined if there is none. */
export function metadataStamp(session: string, fileSystem: FileSystem): string | undefined {
  const stat = uninterrupted(() => {
    return fileSystem.statSync(metadataPath(session), { bigint: true, throwIfNoEntry: false });
  });
  return stat && `${stat.dev}-${stat.ino}-${stat.mtimeNs}`;
}

function bytesAt(path: string, session: string, fileSystem: FileSystem): Uint8Array {
  try {
    return readWhole(fileSystem, path);
  } catch (error) {
    if (!isMissing(error)) throw storageError(error, { operation: "open", path });
    throw new SessionError(
      "not_found",
      `no session is at ${session}`,
      { what: "session", id: session },
      { cause: error },
    );
  }
}
