import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../../..", ".peers");

/**
 * A folder with these packages in its `node_modules`, installed at the first call and kept out of the repository. Of
 * their install scripts only `scripts` are run.
 */
export function installed(name: string, packages: readonly string[], scripts: readonly string[] = []): string {
  const folder = join(root, name);
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `{ "name": "peer-${name}", "private": true }\n`);
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"];
  execFileSync("npm", ["install", ...flags, ...packages], { cwd: folder, stdio: "inherit" });
  for (const script of scripts) {
    const file = join(folder, "node_modules", script);
    execFileSync(process.execPath, [file], { cwd: dirname(file), stdio: "inherit" });
  }
  writeFileSync(done, "");
  return folder;
}
