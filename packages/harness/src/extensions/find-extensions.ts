import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const module = /^(?!\.).*(?<!\.d)\.(ts|mts|js|mjs)$/;
const entrances = ["index.ts", "index.mts", "index.js", "index.mjs"];

/** The modules of a folder of extensions, by name: its files, and the `index` of its folders. None where there is no folder. */
export async function findExtensions(folder: string): Promise<readonly string[]> {
  const found = await Promise.all((await namesIn(folder)).toSorted().map((name) => moduleOf(folder, name)));
  return found.filter((path) => path !== undefined);
}

/** What can't be looked at is found all the same, so that loading it says why it can't be used. */
async function moduleOf(folder: string, name: string): Promise<string | undefined> {
  const path = join(folder, name);
  if (name.startsWith(".")) return undefined;
  try {
    if (!(await stat(path)).isDirectory()) return module.test(name) ? path : undefined;
    const inside = await readdir(path);
    const entrance = entrances.find((candidate) => inside.includes(candidate));
    return entrance && join(path, entrance);
  } catch {
    return path;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
