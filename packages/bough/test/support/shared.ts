import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../../../../shared");

/** A file or folder of the shared material beside the repository; undefined where it isn't there. */
export function sharedPath(...parts: string[]): string | undefined {
  const path = join(root, ...parts);
  return existsSync(path) ? path : undefined;
}
