import { resolve } from "node:path";
import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";

const source = (path: string) => JSON.stringify(resolve(import.meta.dirname, "../src", path));

/** What a page would run: the root export and a few lines that use it, bundled for a browser. */
async function bundle(program: string): Promise<string> {
  const { build } = await import("vite");
  const entry = "virtual:program";
  const result = await build({
    configFile: false,
    logLevel: "error",
    plugins: [
      {
        name: "program",
        enforce: "pre",
        resolveId: (id) => (id === entry ? `\0${entry}` : undefined),
        load: (id) => (id === `\0${entry}` ? program : undefined),
      },
      {
        name: "no-node",
        enforce: "pre",
        resolveId(id, importer) {
          if (id.startsWith("node:")) throw new Error(`${importer} imports ${id}`);
        },
      },
    ],
    build: {
      write: false,
      minify: false,
      rolldownOptions: { input: entry, output: { format: "iife", name: "bough" }, preserveEntrySignatures: "strict" },
    },
  });
  const [output] = [result].flat();
  if (!output || !("output" in output) || output.output.length !== 1) throw new Error("one file was expected");
  return output.output[0].code;
}

const webGlobals = () => ({
  crypto,
  TextEncoder,
  TextDecoder,
  structuredClone,
  queueMicrotask,
  setTimeout,
  AbortController,
});

test("the root export is bundled for a browser without Node, and keeps a session in memory there", async () => {
  const code = await bundle(`
    import { assistant, user } from ${source("index.ts")};
    import { MemoryRepo } from ${source("storage/memory/index.ts")};
    export async function story() {
      const session = await new MemoryRepo().create({ cwd: "/" });
      const question = await session.appendMessage(user("2 + 2?"));
      await session.appendMessage(assistant("5"));
      await session.moveTo(question);
      await session.appendMessage(assistant("4"));
      const context = await session.buildContext();
      return { roles: context.messages.map((message) => message.role), branches: (await session.branches()).length };
    }
  `);
  const page = createContext(webGlobals());
  const answer = await runInContext(`${code}; bough.story().then((answer) => JSON.stringify(answer))`, page);
  expect(JSON.parse(answer)).toEqual({ roles: ["user", "assistant"], branches: 2 });
});

test("so are all subpaths but the local storages, the synchronous face and the test kit", async () => {
  const subpaths = ["context", "format", "memory", "outline", "tree"];
  const folders = ["context", "format", "storage/memory", "outline", "tree"];
  const program = folders.map((path, index) => `export * as ${subpaths[index]} from ${source(`${path}/index.ts`)};`);
  const page = createContext(webGlobals());
  const names = runInContext(`${await bundle(program.join("\n"))}; Object.keys(bough).sort().join()`, page);
  expect(names.split(",")).toEqual(subpaths);
});
