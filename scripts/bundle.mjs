/**
 * Writes the code that is published into the `dist` of the packages, in few modules, since each costs whoever imports it
 * half a millisecond. The types beside it are `tsc`'s.
 */
import { globSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "rolldown";

const engine = packageOf("bough");
const doors = Object.values(engine.manifest.exports).filter((door) => typeof door === "object");

await bundle(engine, {
  input: {
    ...Object.fromEntries(doors.map((door) => [nameOf(door.default), door["bough-source"]])),
    "catalog/pattern-worker": "src/catalog/pattern-worker.ts",
  },
  // What several doors need; the rest stands in the modules of the doors themselves.
  groups: [
    {
      name: "engine",
      test: /[\\/]src[\\/](entry|tree|context|session)[\\/]|[\\/](encode|outline[\\/]search)\.ts$/,
      priority: 3,
    },
    { name: "logs", test: /[\\/]src[\\/](format|storage[\\/]memory)[\\/]/, priority: 2 },
    { name: "files", test: /[\\/]src[\\/]storage[\\/](files|jsonl)[\\/]/, priority: 1 },
  ],
});
await bundle(packageOf("cli"), {
  input: { main: "src/main.ts" },
  groups: [{ name: "overview", test: /[\\/]overview\.ts$/ }],
});

async function bundle({ folder, manifest }, { input, groups }) {
  // Types stay, for `tsc` knows which of them are up to date.
  for (const file of globSync("dist/**/*.js{,.map}", { cwd: folder })) rmSync(join(folder, file));
  await build({
    cwd: folder,
    input,
    external: [/^node:/, ...Object.keys(manifest.dependencies ?? {}).map((name) => new RegExp(`^${name}(/|$)`))],
    platform: "node",
    output: {
      dir: "dist",
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
      codeSplitting: { groups },
      comments: false,
      minifyInternalExports: false,
      sourcemap: true,
    },
  });
}

function packageOf(name) {
  const folder = resolve(import.meta.dirname, "../packages", name);
  return { folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) };
}

function nameOf(file) {
  return file.replace(/^\.\/dist\/|\.js$/g, "");
}
