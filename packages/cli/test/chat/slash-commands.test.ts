import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { parsedCommand } from "../../src/chat/slash-command.ts";
import { slashCommands } from "../../src/chat/slash-commands.ts";
import { newPlace, type Place } from "../support/bough.ts";

async function talk(place: Place, lines: readonly string[], args: readonly string[] = []) {
  return await place.run(["chat", "--model", "demo", ...args], { input: lines.map((line) => `${line}\n`).join("") });
}

const sessions = async (place: Place) =>
  (await place.json(["list", "--sort", "created"])).toReversed() as {
    id: string;
    path: string;
    parentSession?: string;
  }[];

const said = async (place: Place, path: string) =>
  ((await place.json(["context", path])).messages as { role: string; content: unknown }[])
    .filter(({ role }) => role === "user")
    .map(({ content }) => JSON.stringify(content).replace(/^.*"text":"|"\}\]$|^"|"$/g, ""));

test("every name stands once, and what looks like a path is no command", () => {
  const names = slashCommands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(
      "tree branch fork clone label name compact model thinking session export resume new help".split(" "),
    ),
  );
  expect(parsedCommand("/etc/hosts is a file")).toBeUndefined();
  expect(parsedCommand("  /Tree  leaf~1  summarize ")).toEqual({ name: "tree", argument: "leaf~1  summarize" });
});

test("docs/cli.md has every command", () => {
  const manual = readFileSync(resolve(import.meta.dirname, "../../../../docs/cli.md"), "utf8");
  for (const { name, arguments: args } of slashCommands) {
    expect(manual.replaceAll("\\|", "|")).toContain(`\`${`/${name} ${args}`.trim()}\``);
  }
});

test("/branch goes on in a new session with the path, and nothing but the path", async () => {
  const place = newPlace();
  await talk(place, ["one", "two", "/tree leaf~2", "three", "/branch", "four", "/resume @"]);
  const [first, branch] = await sessions(place);
  expect(await said(place, first?.path ?? "")).toEqual(["one", "three"]);
  expect(await said(place, branch?.path ?? "")).toEqual(["one", "three", "four"]);
  expect(branch?.parentSession).toBe(first?.path);
  expect((await place.json(["stats", branch?.path ?? ""])).branches).toBe(1);
});

test("/clone takes all branches along", async () => {
  const place = newPlace();
  await talk(place, ["one", "two", "/tree leaf~2", "three", "/clone", "four"]);
  const [first, clone] = await sessions(place);
  expect(await said(place, clone?.path ?? "")).toEqual(["one", "three", "four"]);
  for (const session of [first, clone]) expect((await place.json(["stats", session?.path ?? ""])).branches).toBe(2);
});

test("/fork goes on from before what the user said", async () => {
  const place = newPlace();
  const { stdout } = await talk(place, ["one", "two", "/fork", "/fork leaf~1", "two, but otherwise"]);
  expect(stdout).toMatch(/^[0-9a-f]{8} {2}one$/m);
  const [first, fork] = await sessions(place);
  expect(await said(place, first?.path ?? "")).toEqual(["one", "two"]);
  expect(await said(place, fork?.path ?? "")).toEqual(["one", "two, but otherwise"]);
});

test("/tree with an entry goes there, and takes a summary of what is left along if told to", async () => {
  const place = newPlace();
  await talk(place, ["one", "/label start", "two", "/tree @start summarize", "three"]);
  const { rows } = await place.json(["tree", "@"]);
  expect(rows.filter(({ type }: { type: string }) => type === "branch_summary")).toHaveLength(1);
  expect(rows.find(({ label }: { label?: string }) => label === "start")).toMatchObject({ role: "assistant" });
  const { messages } = await place.json(["context", "@"]);
  expect(messages.map(({ role }: { role: string }) => role)).toEqual([
    "user",
    "assistant",
    "branchSummary",
    "user",
    "assistant",
  ]);
});

test("/name, /thinking, /session, /export and /new do what they say", async () => {
  const place = newPlace();
  const { stdout, exitCode } = await talk(place, [
    ...[
      "one",
      "/name Trying out",
      "/thinking high",
      "/session",
      "/export markdown talk.md",
      "/new",
      "two",
      "/exit",
      "three",
    ],
  ]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^name +Trying out$/m);
  expect(stdout).toMatch(/^model +demo\/scripted, thinking high$/m);
  expect(stdout).toContain("talk.md");
  const [first, second] = await sessions(place);
  expect((await place.json(["context", first?.path ?? ""])).thinkingLevel).toBe("high");
  expect(await said(place, second?.path ?? "")).toEqual(["two"]);
});

test("a command that can't be done ends a pipe with its exit code", async () => {
  const place = newPlace();
  expect((await talk(place, ["/nonsense", "one"])).exitCode).toBe(2);
  const { exitCode, stderr } = await talk(place, ["one", "/compact", "two"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("nothing_to_compact");
  expect((await talk(place, ["/thinking enormously"], ["--continue"])).exitCode).toBe(2);
});

test("/resume and /new make no session that nothing is said in", async () => {
  const place = newPlace();
  await talk(place, ["one"]);
  const { stdout } = await talk(place, ["/new", "/resume", "/resume @", "two"]);
  expect(stdout).toMatch(/^[0-9a-f]{8} .* one$/m);
  const all = await sessions(place);
  expect(all).toHaveLength(1);
  expect(await said(place, all[0]?.path ?? "")).toEqual(["one", "two"]);
});

test("looking at a conversation in which nothing was said, and saying nothing, makes no session", async () => {
  const place = newPlace();
  const looks = ["/tree", "/fork", "/session", "/label here", "/thinking", "/branch"];
  expect(await talk(place, looks)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("Nothing has been said"),
  });
  expect((await talk(place, [], ["--print", ""])).exitCode).toBe(2);
  expect((await talk(place, ["", ""], ["--print", "-"])).exitCode).toBe(2);
  expect(await sessions(place)).toEqual([]);
});

test("/new also leaves a session that nothing was said in since", async () => {
  const place = newPlace();
  await talk(place, ["one"]);
  await talk(place, ["/new", "two"], ["--continue"]);
  expect(await sessions(place)).toMatchObject([{ messageCount: 2 }, { messageCount: 2 }]);
});

test("/tree takes labels with blanks in them, the longest that fits, and words after them", async () => {
  const place = newPlace();
  const lines = ["one", "/label the", "two", "/label the end", "three", "/tree @the end summarize what was said"];
  await talk(place, [...lines, "/name here"]);
  const { rows } = await place.json(["tree", "@"]);
  const ids = new Map(rows.map(({ label, id }: { label?: string; id: string }) => [label, id]));
  const summary = rows.find(({ type }: { type: string }) => type === "branch_summary");
  expect(summary).toMatchObject({ parentId: ids.get("the end") });
});
