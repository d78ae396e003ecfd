import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { watch } from "../src/commands/watch.ts";
import { Output } from "../src/output.ts";
import { linesOf, newPlace, type Place } from "./support/bough.ts";

const raw = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** With sequences that colour, name the window, ring, overwrite and turn round; different for each `name`. */
function hostile(name: string | number): string {
  return `a\u001b[31mb\u001b]2;own\u0007c\u009b1md\u0085\r\u202ee\u007f\u2028f\tg${name}\u001b[7m`;
}

const timestamp = hostile("when");
const texts =
  "errorMessage toolCallId toolName command output customType model provider stopReason name modelId thinkingLevel label title task role kind api originalType summary"
    .split(" ")
    .map((name) => [name, hostile(name)] as const);
const lists = { activeToolNames: [hostile("tool")], injectedRules: [hostile("rule")] };
const fields = { ...Object.fromEntries(texts), ...lists };
const call = {
  type: "toolCall",
  id: hostile("call"),
  name: hostile("tool"),
  arguments: { [hostile("key")]: hostile("x") },
};
const content = [{ type: "text", text: hostile("needle ") }, { type: "thinking", thinking: hostile("thought") }, call];
const roles = [
  "user",
  "assistant",
  "toolResult",
  "custom",
  "bashExecution",
  "branchSummary",
  "system",
  hostile("role"),
];
const types =
  "branch_summary custom custom_message model_change thinking_level_change active_tools_change context_edit session_init ttsr_injection label session_info usage title_change damaged"
    .split(" ")
    .concat(hostile("type"));

const ids: string[] = [];

function hostileLines(id: string): object[] {
  const lines: object[] = [
    { type: "session", version: 3, id, timestamp, cwd: hostile("cwd"), parentSession: hostile("p") },
  ];
  ids.length = 0;
  const add = (entry: object) => {
    const parentId = ids.at(-1) ?? null;
    ids.push(hostile(`-${ids.length}`));
    lines.push({ id: ids.at(-1), parentId, timestamp, ...entry });
  };
  for (const role of roles) add({ type: "message", message: { ...fields, role, content } });
  for (const type of types) add({ ...fields, type, content, targetId: ids[0], fromId: ids[1] });
  add({ type: "message", parentId: hostile("gone"), message: { role: "user", content: hostile("orphan needle ") } });
  add({ type: "label", parentId: hostile("gone"), targetId: hostile("gone"), label: hostile("needle") });
  add({ ...fields, type: "compaction", firstKeptEntryId: ids[2], tokensBefore: hostile("many") });
  add({ type: "message", message: { role: "user", content: hostile("last needle ") } });
  return lines;
}

function put(place: Place, name: string, lines: readonly object[]): string {
  const path = join(place.home, "sessions", hostile("folder").replaceAll("/", ""), `t_${name}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, linesOf(lines));
  return path;
}

/** What was printed around the first raw control character of each command. */
async function rawOutputs(place: Place, commands: readonly (readonly string[])[], input = ""): Promise<string[]> {
  const found: string[] = [];
  for (const command of commands) {
    const { stdout, stderr } = await place.run(command, { input });
    for (const text of [stdout, stderr]) {
      const at = text.search(raw);
      if (at !== -1) found.push(JSON.stringify([command[0], text.slice(Math.max(0, at - 40), at + 40)]));
    }
  }
  return found;
}

test("whatever is stored, commands that look print no control character, for people or as JSON", async () => {
  const place = newPlace();
  const path = put(place, hostile("file"), hostileLines(hostile("session")));
  appendFileSync(path, `${hostile("garbage")}\n{"type":"message","id":"${"torn".repeat(3)}`);
  put(place, hostile("none"), [{ type: hostile("none") }]);
  put(place, hostile("twin"), hostileLines(hostile("twin")));
  const looks = [
    ["list", "--all"],
    ["list", "--all", "--sort", "threaded"],
    ["search", "needle", "--all"],
    ["search", "re:b", "--all"],
    ["tree", path],
    ["tree", path, "--filter", "all"],
    ["tree", path, "--search", "needle"],
    ["tree", path, "--at", ids[1] as string],
    ["tree", path, "--dropped", ids.at(-2) as string],
    ["show", path, ids.at(-2) as string, "--dropped"],
    ["context", path],
    ["context", path, "--llm"],
    ["context", path, "--leaf", ids[8] as string],
    ["stats", path],
    ["check", path],
    ...ids.map((id) => ["show", path, id]),
  ];
  const refused = [
    ["show", path, "none"],
    ["show", path, hostile("none")],
    ["show", path, "a"],
    ["tree", "a\u001b[3"],
    ["tree", hostile("none")],
    ["tree", join(path, hostile("none"))],
    ["list", "--since", hostile("none")],
    ["search", `re:(${hostile("none")}`],
    ["chat", "--model", hostile("none"), "--print", "x"],
    ["export", path, "--markdown", "--out", "-"],
  ];
  const json = looks.slice(0, -ids.length + 2).map((command) => [...command, "--json"]);
  const commands = [...looks, ...json, ...refused];
  const shares = [0, 1, 2, 3].map((share) => commands.filter((_, index) => index % 4 === share));
  expect((await Promise.all(shares.map((share) => rawOutputs(place, share)))).flat()).toEqual([]);
});

test("whatever is stored, commands that write print no control character", async () => {
  const place = newPlace();
  const path = put(place, hostile("file"), hostileLines(hostile("session")));
  const entry = ids[1] as string;
  const writing = [
    ["goto", path, entry],
    ["label", path, entry, hostile("label")],
    ["label", path, entry],
    ["goto", path, "root"],
    ["goto", path, ids.at(-1) as string],
    ["rename", path, hostile("name")],
    ["fork", path, entry],
    ["compact", path, "--keep", "1"],
    ["export", path, "--markdown", "--out", join(place.folder, hostile("out.md"))],
    ["export", path, "--markdown", "--out", join(place.folder, hostile("out.md"))],
    ["chat", "--model", "demo", "--session", path, "--print", "hello"],
    ["repair", path],
    ["migrate", path],
    ["delete", path],
    ["trash"],
    ["undelete", hostile("session")],
    ["delete", hostile("session")],
    ["trash", "--empty"],
  ];
  expect(await rawOutputs(place, writing)).toEqual([]);
  const talk = put(place, hostile("talk"), hostileLines(hostile("talk")));
  const typed = [
    "/session",
    "/tree",
    "/fork",
    `/label ${entry}`,
    "/resume",
    "/name x\u001b[3m",
    `/tree ${ids[3]}`,
    "/branch",
  ];
  const chat = ["chat", "--model", "demo", "--session", talk];
  expect(
    await rawOutputs(
      place,
      [chat, [...chat, "--json"]],
      typed.map((line) => line.replaceAll(/[\r\n]/g, "")).join("\n"),
    ),
  ).toEqual([]);
  const appended = linesOf([{ role: "user", content: "x", id: hostile("new") }, { type: 5 }]);
  expect(
    await rawOutputs(
      place,
      [
        ["append", "--new", "--cwd", hostile("cwd")],
        ["append", talk],
      ],
      appended,
    ),
  ).toEqual([]);
});

test("an entry that is appended is watched without control characters", async () => {
  const place = newPlace();
  const path = put(place, "watched", hostileLines(hostile("watched")));
  const seen = new PassThrough();
  const stdout = new Output(seen as unknown as NodeJS.WriteStream);
  const stop = new AbortController();
  const world = { stdin: process.stdin, stdout, stderr: stdout, env: { BOUGH_HOME: place.home }, cwd: place.folder };
  const watching = watch({ ...world, signal: stop.signal }, [path], {}).catch(() => undefined);
  const message = { role: hostile("role"), content: hostile("said") };
  const appended = async () => {
    const id = hostile(Math.random());
    appendFileSync(path, linesOf([{ type: "message", id, parentId: null, timestamp, message }]));
    return seen.readableLength;
  };
  await expect.poll(appended, { interval: 200, timeout: 10_000 }).toBeGreaterThan(0);
  stop.abort();
  await watching;
  expect(String(seen.read())).not.toMatch(raw);
});

test("an entry is named by what is shown of its id", async () => {
  const place = newPlace();
  const path = put(place, "named", hostileLines(hostile("named")));
  const { stdout } = await place.run(["tree", path, "--search", "last needle"]);
  expect((await place.json(["show", path, stdout.slice(0, 8).trim()])).id).toBe(ids.at(-1));
});
