import { pooledRandom, uuidV7 } from "../../entry/uuid.ts";
import { type EntryFactory, systemFactory } from "../../session/entry-factory.ts";
import { nodeCrypto, nodeFs } from "./node-modules.ts";

/** Fills `bytes` with what nobody can foresee. */
export function fillRandom(bytes: Uint8Array): void {
  if (!readRandom(bytes)) nodeCrypto().randomFillSync(bytes);
}

/** What local storages take ids and times from unless told otherwise: for the first id nothing of Node's is loaded. */
export const localFactory: EntryFactory = { ...systemFactory, newId: uuidV7({ random: pooledRandom(fillRandom) }) };

/** The source that `node:crypto` draws on, where it can be read like a file. */
function readRandom(bytes: Uint8Array): boolean {
  if (process.platform === "win32") return false;
  try {
    const fd = nodeFs.openSync("/dev/urandom", "r");
    try {
      return nodeFs.readSync(fd, bytes) === bytes.length;
    } finally {
      nodeFs.closeSync(fd);
    }
  } catch {
    return false;
  }
}
