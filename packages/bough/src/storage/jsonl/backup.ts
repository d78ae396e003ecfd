import { errnoOf } from "../files/file-errors.ts";
import {
  closeDescriptor,
  type FileSystem,
  type Inode,
  readFully,
  sameInode,
  uninterrupted,
} from "../files/file-system.ts";
import { nodeFs } from "../files/node-modules.ts";
import { withoutLinks } from "../files/publish.ts";

/**
 * Gives the open file `source`, which is at `path`, a second name `<path>.<reason>.bak` that stays when the first one
 * goes to another file. A backup that is there is never replaced. Undefined if `path` leads elsewhere by now.
 */
export function keepBackup(path: string, reason: string, source: number, fileSystem: FileSystem): string | undefined {
  const inode = fileSystem.fstatSync(source);
  for (let number = 1; ; number++) {
    const backup = `${path}.${reason}${number === 1 ? "" : `-${number}`}.bak`;
    switch (link(path, backup, fileSystem)) {
      case "linked":
        if (isAt(backup, inode, fileSystem)) return backup;
        fileSystem.unlinkSync(backup);
        return undefined;
      case "taken":
        // By an attempt that was interrupted, perhaps.
        if (isAt(backup, inode, fileSystem)) return backup;
        break;
      case "without_links":
        if (copied(source, backup, fileSystem)) return backup;
    }
  }
}

function link(path: string, backup: string, fileSystem: FileSystem): "linked" | "taken" | "without_links" {
  try {
    uninterrupted(() => fileSystem.linkSync(path, backup));
    return "linked";
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST") return "taken";
    if (withoutLinks.has(errno)) return "without_links";
    throw error;
  }
}

function isAt(path: string, inode: Inode, fileSystem: FileSystem): boolean {
  return sameInode(
    uninterrupted(() => fileSystem.statSync(path)),
    inode,
  );
}

function copied(source: number, backup: string, fileSystem: FileSystem): boolean {
  const target = created(backup, fileSystem);
  if (target === undefined) return false;
  try {
    const chunk = new Uint8Array(1 << 20);
    for (let position = 0; ; ) {
      const read = readFully(fileSystem, source, chunk, position);
      if (read === 0) break;
      for (let written = 0; written < read; ) written += fileSystem.writeSync(target, chunk, written, read - written);
      position += read;
    }
    fileSystem.fdatasyncSync(target);
    return true;
  } catch (error) {
    fileSystem.unlinkSync(backup);
    throw error;
  } finally {
    closeDescriptor(fileSystem, target);
  }
}

function created(path: string, fileSystem: FileSystem): number | undefined {
  const flags =
    nodeFs.constants.O_WRONLY | nodeFs.constants.O_CREAT | nodeFs.constants.O_EXCL | (nodeFs.constants.O_NOFOLLOW ?? 0);
  try {
    return uninterrupted(() => fileSystem.openSync(path, flags, 0o600));
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return undefined;
    throw error;
  }
}
