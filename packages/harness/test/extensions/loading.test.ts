import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../../../bough/test/support/child.ts";
import { temporaryFolder } from "../../../bough/test/support/temporary-folder.ts";
import { loadExtensions, type TrustAnswer, TrustedFolders, type TrustQuestion } from "../../src/index.ts";

const good = "export default (api) => api.registerCommand('x', { handler() {} });\n";

/** A user's home and a project, each with what is said to lie among its extensions. */
function places(own: Record<string, string>, project: Record<string, string>) {
  const root = realpathSync(temporaryFolder());
  const [home, cwd] = [join(root, "home/.bough"), join(root, "project")];
  const write = (folder: string, files: Record<string, string>) => {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  write(join(home, "extensions"), own);
  write(join(cwd, ".bough/extensions"), project);
  return { home, cwd, trustFile: join(home, "trusted-folders.json") };
}

const answering = (answer: TrustAnswer) => {
  const questions: TrustQuestion[] = [];
  const askTrust = async (question: TrustQuestion) => {
    questions.push(question);
    return answer;
  };
  return { questions, askTrust };
};

test("modules are found by name, folders by their index, the user's own before the project's", async () => {
  const { home, cwd } = places(
    {
      "b.ts": "export default (api: unknown): void => void api;\n",
      "a.mjs": good,
      "types.d.ts": "",
      "notes.md": "",
      ".c.js": "",
    },
    { "d/index.js": good, "d/other.js": "throw new Error('not loaded');\n", "e/other.js": "", "a.mjs": good },
  );
  const { questions, askTrust } = answering("once");
  const { extensions, failures, untrusted } = await loadExtensions({ home, cwd, askTrust });
  const own = ["a.mjs", "b.ts"].map((name) => join(home, "extensions", name));
  const project = ["a.mjs", "d/index.js"].map((name) => join(cwd, ".bough/extensions", name));
  expect(failures).toEqual([]);
  expect(extensions.map(({ name }) => name)).toEqual([...own, ...project]);
  expect(questions).toEqual([{ folder: cwd, extensions: project }]);
  expect(untrusted).toEqual([]);
});

test("a module that can't be loaded is reported, and the others are", async () => {
  const { home, cwd } = places(
    {
      "a.mjs": "throw new Error('no');\n",
      "b.mjs": "export default (;\n",
      "c.mjs": "export default 7;\n",
      "d.mjs": "export const other = () => undefined;\n",
      "e.mjs": "await new Promise(() => undefined);\nexport default () => undefined;\n",
      "f.mjs": good,
    },
    {},
  );
  const { extensions, failures } = await loadExtensions({ home, cwd, timeout: 3_000 });
  expect(extensions.map(({ name }) => name)).toEqual([join(home, "extensions/f.mjs")]);
  expect(failures.map(({ extension, during, error }) => [extension, during, error.code])).toEqual(
    ["a", "b", "c", "d", "e"].map((name) => [join(home, `extensions/${name}.mjs`), "load", "hook"]),
  );
});

test.each<[TrustAnswer | undefined, number, "trusted" | "refused" | undefined]>([
  [undefined, 0, undefined],
  ["not-now", 0, undefined],
  ["once", 1, undefined],
  ["always", 1, "trusted"],
  ["never", 0, "refused"],
])("a project's modules run only where the user trusts it: %s", async (answer, loaded, remembered) => {
  const marker = "globalThis.ran = (globalThis.ran ?? 0) + 1;\nexport default () => undefined;\n";
  const { home, cwd, trustFile } = places({}, { "a.mjs": marker });
  const { askTrust, questions } = answering(answer ?? "once");
  const before = (globalThis as { ran?: number }).ran ?? 0;
  const { extensions, untrusted } = await loadExtensions({ home, cwd, ...(answer && { askTrust }) });
  expect(extensions).toHaveLength(loaded);
  expect(untrusted).toHaveLength(1 - loaded);
  expect(((globalThis as { ran?: number }).ran ?? 0) - before).toBe(loaded);
  expect(await new TrustedFolders(home).decisionOn(cwd)).toBe(remembered);
  expect(existsSync(trustFile)).toBe(remembered !== undefined);
  if (remembered === undefined) return;
  const again = await loadExtensions({ home, cwd, askTrust });
  expect(again.extensions).toHaveLength(remembered === "trusted" ? 1 : 0);
  expect(questions).toHaveLength(1);
});

test("nobody is asked about a project without extensions, and nothing is written", async () => {
  const { home, cwd, trustFile } = places({}, {});
  const { questions, askTrust } = answering("always");
  expect(await loadExtensions({ home, cwd, askTrust })).toEqual({ extensions: [], failures: [], untrusted: [] });
  expect(await loadExtensions({ home: join(home, "none"), cwd: home, askTrust })).toMatchObject({ extensions: [] });
  expect(questions).toEqual([]);
  expect(existsSync(trustFile)).toBe(false);
});

test("trust is data of the user's alone; a damaged file trusts nobody and is kept", async () => {
  const { home, cwd, trustFile } = places({}, { "a.mjs": good });
  const other = realpathSync(temporaryFolder());
  const folders = new TrustedFolders(home);
  await folders.decide(other, "refused");
  await folders.decide(cwd, "trusted");
  expect(Object.keys(JSON.parse(readFileSync(trustFile, "utf8")).folders)).toEqual([other, cwd]);
  if (process.platform !== "win32") expect(statSync(trustFile).mode & 0o777).toBe(0o600);
  expect([await folders.decisionOn(other), await folders.decisionOn(cwd)]).toEqual(["refused", "trusted"]);
  writeFileSync(trustFile, '{"folders": {"');
  expect(await folders.decisionOn(cwd)).toBeUndefined();
  expect((await loadExtensions({ home, cwd })).extensions).toEqual([]);
  await folders.decide(cwd, "trusted");
  expect(await folders.decisionOn(cwd)).toBe("trusted");
  const kept = readdirSync(home).filter((name) => name.includes(".damaged-"));
  expect(kept.map((name) => readFileSync(join(home, name), "utf8"))).toEqual(['{"folders": {"']);
  expect(readdirSync(home).filter((name) => name.startsWith(".tmp-"))).toEqual([]);
});

test("what only seems to be a module is reported, and the others are loaded", async () => {
  const { home, cwd } = places({ "b.mjs": good }, {});
  symlinkSync(join(home, "nowhere.mjs"), join(home, "extensions/a.mjs"));
  const { extensions, failures } = await loadExtensions({ home, cwd });
  expect(failures.map(({ extension, during }) => [extension, during])).toEqual([
    [join(home, "extensions/a.mjs"), "load"],
  ]);
  expect(extensions).toHaveLength(1);
});

test("an extension anywhere imports the packages of the program that runs it", async () => {
  const uses = `import { user } from "bough";\nimport { describeEntry } from "bough/outline";\nimport { plainTheme } from "@bough/harness";
import type { ExtensionAPI } from "@bough/harness";
export default (api: ExtensionAPI): void => {
  api.registerCommand([user("x").role, typeof describeEntry, typeof plainTheme.bold].join(), { handler: () => undefined });
};\n`;
  const { home, cwd } = places({ "a.ts": uses, "b.ts": 'import "elsewhere";\nexport default () => undefined;\n' }, {});
  const { exitCode, stdout, stderr } = await runProgram(join(import.meta.dirname, "../programs/list-commands.ts"), [
    home,
    cwd,
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual([["user,function,function"], [join(home, "extensions/b.ts")]]);
});
