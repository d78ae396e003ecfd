import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newPlace, type Place } from "../support/bough.ts";

function extend(folder: string, name: string, body: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `export default (api) => {\n${body}\n};\n`);
}

const own = ({ home }: Place) => join(home, "extensions");

async function talk(place: Place, lines: readonly string[], args: readonly string[] = []) {
  return await place.run(["chat", "--model", "demo", ...args], { input: lines.map((line) => `${line}\n`).join("") });
}

test("commands of extensions can be typed, appear in help, and may go to another session", async () => {
  const place = newPlace();
  extend(
    own(place),
    "ask.js",
    `api.registerCommand("ask", { description: "asks for you", handler: async (args) => void (await api.sendUserMessage("please " + args)) });
    api.registerCommand("away", { handler: async (_, ctx) => void (await ctx.newSession()) });
    api.registerCommand("help", { handler: () => undefined });`,
  );
  const { stdout, stderr, exitCode } = await talk(place, ["one", "/ask tell me", "/help", "/away", "two"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("You said 3 words");
  expect(stdout).toMatch(/^\/ask +asks for you$/m);
  expect(stderr).toContain("command:help failed");
  const sessions = await place.json(["list"]);
  expect(sessions.map(({ messageCount }: { messageCount: number }) => messageCount)).toEqual([2, 4]);
});

test("on a pipe what extensions tell the user goes to standard error", async () => {
  const place = newPlace();
  extend(
    own(place),
    "tell.js",
    `api.registerCommand("tell", { handler: (args, ctx) => ctx.ui.notify("told " + args) });`,
  );
  expect(await talk(place, ["/tell you"])).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("told you") });
});

test("notes look as their extension draws them, without control sequences", async () => {
  const place = newPlace();
  extend(
    own(place),
    "note.js",
    `api.registerMessageRenderer("drawn", ({ content }) => ["\\u001b[2J<<" + content + ">>"]);
    api.registerCommand("note", { handler: async (args) => void (await api.sendMessage({ customType: args, content: "words", display: true })) });
    api.registerCommand("hide", { handler: async () => void (await api.sendMessage({ customType: "drawn", content: "hidden", display: false })) });`,
  );
  const { stderr, exitCode } = await talk(place, ["one", "/note drawn", "/note plain", "/hide"]);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^<<words>>$/m);
  expect(stderr).toMatch(/plain: words$/m);
  expect(stderr).not.toContain("hidden");
});

test("an extension that fails is told of and passed over; its command fails a pipe", async () => {
  const place = newPlace();
  extend(own(place), "a.js", "throw new Error('no start');");
  extend(
    own(place),
    "b.js",
    "api.on('turn_end', () => { throw new Error('no turn'); }); api.registerCommand('bad', { handler: () => { throw new Error('no command'); } });",
  );
  const { stdout, stderr, exitCode } = await talk(place, ["one", "/bad", "two"]);
  expect(stdout).toContain("You said 1 word");
  for (const words of ["no start", "no turn", "no command"]) expect(stderr).toContain(words);
  expect(exitCode).toBe(1);
  expect((await talk(place, ["one"], ["--no-extensions"])).stderr).not.toContain("no start");
});

test("a project's extensions are left alone where nobody can be asked whether to trust it", async () => {
  const place = newPlace();
  extend(
    join(place.folder, ".bough/extensions"),
    "theirs.js",
    "api.registerCommand('theirs', { handler: () => undefined });",
  );
  const { stderr, exitCode } = await talk(place, ["one", "/theirs"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("theirs.js");
});
