import type { FileSystem } from "./file-system.ts";

/** The name of something in a trash: the one it had, and when it was deleted. */
export interface TrashedName {
  readonly original: string;
  readonly deleted: Date;
  /** What the name has more than the original. */
  readonly suffix: string;
}

const trashedName = /^(.+)(\.deleted-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z))$/s;

/** Of a name, or a path that ends with one; undefined if it tells no time. */
export function readTrashedName(name: string): TrashedName | undefined {
  const [, original, suffix, time] = trashedName.exec(name) ?? [];
  if (original === undefined || suffix === undefined || time === undefined) return undefined;
  return { original, suffix, deleted: new Date(time.replace(/T(\d\d)-(\d\d)-(\d\d)-/, "T$1:$2:$3.")) };
}

/** The suffix of what is deleted now and is to be in the trash at `path`: a moment later where that name is taken. */
export function freeTrashSuffix(path: string, now: Date, fileSystem: FileSystem): string {
  for (let time = now.getTime(); ; time++) {
    const suffix = `.deleted-${new Date(time).toISOString().replace(/[:.]/g, "-")}`;
    if (!fileSystem.statSync(path + suffix, { throwIfNoEntry: false })) return suffix;
  }
}
