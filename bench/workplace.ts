import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { installed } from "../packages/bough/test/peers/install.ts";
import { type ContenderName, contenders, type Peer } from "./contenders.ts";
import { GeneratedData } from "./data.ts";

const root = resolve(import.meta.dirname, "..");
const workplace = join(root, ".bench");

export const programs = join(workplace, "programs");
export const results = join(workplace, "results");

export function generatedData(): GeneratedData {
  return new GeneratedData(join(workplace, "data"));
}

/** Where a contender's packages are; they are fetched if they aren't there. Empty for bough. */
export function folderOf(name: ContenderName): string {
  const { peer } = contenders[name];
  return peer === undefined ? "" : installed(peer.folder, packagesOf(peer));
}

function packagesOf(peer: Peer): string[] {
  return [`${peer.package}@${peer.version}`];
}

/** Runs `work` in an empty folder on the same file system as the data, and removes it. */
export async function withScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  mkdirSync(workplace, { recursive: true });
  const folder = mkdtempSync(join(workplace, "scratch-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Forgets the cached pages of one file. Linux only. */
export function dropFromCache(file: string): void {
  execFileSync("dd", [`if=${file}`, "iflag=nocache", "count=0", "status=none"]);
}

export function requirePrograms(): void {
  if (!existsSync(join(programs, "measured.js"))) throw new Error("start it with `npm run bench`");
}
