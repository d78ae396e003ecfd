/**
 * Packs the packages as they would be published, unpacks them side by side, and uses them as a stranger would: every
 * subpath is imported, what browsers may use has types for them, and `bough` runs. Needs no network.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(root, ".packed-"));

try {
  const engine = unpack("bough");
  const harness = unpack("harness");
  const cli = unpack("cli");
  for (const { name, dependencies } of [harness, cli]) {
    const own = name.replace("@bough/", "packages/");
    for (const packages of [`${own}/node_modules`, "node_modules"]) borrow(packages, dependencies);
  }
  const doors = [engine, harness].flatMap(({ name, exports }) =>
    Object.keys(exports).map((subpath) => subpath.replace(/^\./, name)),
  );
  const imports = doors.map(
    (door) => `await import("${door}"${door.endsWith(".json") ? ', { with: { type: "json" } }' : ""});`,
  );
  writeFileSync(join(folder, "try.mjs"), imports.join("\n"));
  run(["try.mjs"]);
  const modules = modulesOf(join(folder, "node_modules/bough/dist/index.js"));
  if (modules.size >= 50) throw new Error(`the root imports ${modules.size} modules`);
  checkBrowserTypes(["bough", "bough/context", "bough/tree", "bough/outline", "bough/format"]);
  const bough = "node_modules/@bough/cli/bin/bough.js";
  const printed = run([bough, "--version"]);
  if (printed.trim() !== cli.version) throw new Error(`bough --version says ${printed}`);
  const home = { BOUGH_HOME: join(folder, "home"), TMPDIR: folder };
  run([bough, "demo"], home);
  if (run([bough, "search", "re:.", "--all", "--json"], home).trim() === "[]")
    throw new Error("bough search finds nothing");
  console.log(
    `${doors.length} subpaths can be imported, the root of ${modules.size} modules, and bough ${cli.version} runs`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function unpack(name) {
  const args = ["pack", "--silent", "--pack-destination", folder];
  const [tarball] = execFileSync("npm", args, { cwd: join(root, "packages", name), encoding: "utf8" })
    .trim()
    .split("\n");
  const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
  const target = join(folder, "node_modules", manifest.name);
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, tarball), "--strip-components=1", "-C", target]);
  return manifest;
}

/** Dependencies are taken from where they are installed. */
function borrow(from, dependencies = {}) {
  for (const name of Object.keys(dependencies)) {
    const [source, target] = [join(root, from, name), join(folder, "node_modules", name)];
    if (!existsSync(source) || existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(source, target, "junction");
  }
}

/** Neither Node's types nor a library newer than browsers have are asked for. */
function checkBrowserTypes(doors) {
  const compilerOptions = { lib: ["es2024", "dom"], types: [], module: "nodenext", strict: true, noEmit: true };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["browser.ts"] }));
  writeFileSync(join(folder, "browser.ts"), doors.map((door) => `import "${door}";`).join("\n"));
  run([resolve(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json"]);
}

/** What importing a file loads with it. */
function modulesOf(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const imported = readFileSync(file, "utf8").matchAll(/^(?:import|export)[^"]*"(\.[^"]+)";$/gm);
  for (const [, path] of imported) modulesOf(resolve(file, "..", path), found);
  return found;
}

function run(args, env = {}) {
  return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: { ...process.env, ...env } });
}
