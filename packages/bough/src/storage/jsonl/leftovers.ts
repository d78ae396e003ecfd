import { join } from "node:path";
import { type FileSystem, uninterrupted } from "../files/file-system.ts";
import { discard, namesIn } from "../files/publish.ts";

const leftoverName = /^\.tmp-[0-9a-f]{32}$/;
const day = 24 * 60 * 60 * 1000;

/** Removes temporary files that a crash left in a store more than a day ago; younger ones may be in use. */
export function removeLeftovers(store: string, fileSystem: FileSystem, now = Date.now()): void {
  const folders = [store, ...namesIn(store, fileSystem).map((name) => join(store, name))];
  for (const folder of folders) {
    for (const name of namesIn(folder, fileSystem)) {
      const path = join(folder, name);
      if (leftoverName.test(name) && isOlder(path, now - day, fileSystem)) discard(path, fileSystem);
    }
  }
}

function isOlder(path: string, time: number, fileSystem: FileSystem): boolean {
  const stat = uninterrupted(() => fileSystem.statSync(path, { throwIfNoEntry: false }));
  return stat?.isFile() === true && stat.mtimeMs < time;
}
