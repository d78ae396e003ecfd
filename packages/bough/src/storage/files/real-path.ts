import { dirname, resolve, sep } from "node:path";
import { SessionError } from "../../errors.ts";
import { isMissing, storageError } from "./file-errors.ts";
import { type FileSystem, uninterrupted } from "./file-system.ts";
import { nodeFs } from "./node-modules.ts";

/** The real path of what is there; of what is not, the path itself below its real parent. */
export function realPath(path: string, fileSystem: FileSystem): string {
  return resolved(path, (existing) => fileSystem.realpathSync(existing));
}

/** As `realPath`, in the letters that the volume has it in, for comparing; what can't be looked at is itself. */
export function truePath(path: string): string {
  try {
    return resolved(path, (existing) => nodeFs.realpathSync.native(existing));
  } catch {
    return path;
  }
}

function resolved(path: string, lookUp: (existing: string) => string): string {
  try {
    return uninterrupted(() => lookUp(path));
  } catch (error) {
    const parent = dirname(path);
    if (!isMissing(error) || parent === path) throw storageError(error, { operation: "resolve", path });
    return resolve(resolved(parent, lookUp), path.slice(parent.length).replace(/^[\\/]+/, ""));
  }
}

/** The real path of what a list or an index names. Throws `outside_store` unless it lies in the store. */
export function pathInside(path: string, root: string, fileSystem: FileSystem): string {
  const store = realPath(root, fileSystem);
  const real = realPath(resolve(store, path), fileSystem);
  if (!isInside(real, store)) throw outsideStore(path, store);
  return real;
}

/** Of two real paths. */
export function isInside(path: string, store: string): boolean {
  return path.startsWith(store.endsWith(sep) ? store : store + sep);
}

export function outsideStore(path: string, store: string): SessionError<"outside_store"> {
  return new SessionError("outside_store", `${path} is not in ${store}`, { path, store });
}
