import { dirname, join } from "node:path";
import type { Blobs } from "../../session/entry-log.ts";
import { isMissing } from "../files/file-errors.ts";
import { type FileSystem, readWhole } from "../files/file-system.ts";
import { nodeCrypto } from "../files/node-modules.ts";

/**
 * The folder `blobs` beside the folder `sessions` that a session's project is in: where oh-my-pi keeps what is too large
 * for a line, each file named by the SHA-256 of its bytes. What has another digest than its name is as good as missing.
 */
export function readBlobsOf(sessionFile: string, digests: readonly string[], fileSystem: FileSystem): Blobs {
  const folder = join(dirname(dirname(dirname(sessionFile))), "blobs");
  const blobs = new Map<string, string>();
  for (const digest of digests) {
    const bytes = bytesOf(join(folder, digest), fileSystem);
    if (bytes && nodeCrypto().createHash("sha256").update(bytes).digest("hex") === digest) {
      blobs.set(digest, Buffer.from(bytes).toString("base64"));
    }
  }
  return blobs;
}

function bytesOf(path: string, fileSystem: FileSystem): Uint8Array | undefined {
  try {
    return readWhole(fileSystem, path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
