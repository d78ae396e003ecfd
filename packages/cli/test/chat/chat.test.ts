import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { type Behaviour, startProvider } from "../../../harness/test/support/provider-server.ts";
import { ModelChoice, type ModelOptions } from "../../src/chat/model-choice.ts";
import { linesOf, newPlace, type Place, reply, user } from "../support/bough.ts";

const program = ["--conditions=bough-source", resolve(import.meta.dirname, "../../src/main.ts")];
const answer = (text: string): Behaviour => ({ kind: "reply", text, usage: { input: 10, output: 5 } });
const calls = (name: string, args: object): Behaviour => ({
  kind: "reply",
  calls: [{ id: `call-${name}`, name, args }],
  usage: { input: 10, output: 5 },
});

async function begin(...behaviours: readonly Behaviour[]) {
  const server = await startProvider("openai");
  server.script(...behaviours);
  const place = newPlace();
  const at = ["--base-url", server.model.baseUrl, "--model", "local-one"];
  const chat = (args: readonly string[], input?: string) =>
    place.run(["chat", ...at, ...args], input === undefined ? {} : { input });
  return { server, place, chat, at };
}

interface Printed {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
  readonly stopReason?: string;
}

async function messagesOf(place: Place): Promise<readonly Printed[]> {
  return (await place.json(["context", "@"])).messages;
}

const textOf = ({ content }: Printed) =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");

test("a server that speaks OpenAI's protocol answers one question, and a session is left", async () => {
  const { server, place, chat } = await begin(answer("Hello to **you**."));
  const { stdout, exitCode } = await chat(["--print", "hello"]);
  expect([stdout, exitCode]).toEqual(["Hello to **you**.\n", 0]);
  expect(server.requests).toMatchObject([{ model: "local-one", stream: true }]);
  expect(server.requests[0]).not.toHaveProperty("max_tokens");
  expect((await messagesOf(place)).map((message) => [message.role, textOf(message)])).toEqual([
    ["user", "hello"],
    ["assistant", "Hello to **you**."],
  ]);
  expect((await place.json(["context", "@"])).model).toEqual({
    provider: new URL(server.model.baseUrl).host,
    modelId: "local-one",
  });
});

test("lines of a pipe are said one after the other, and --continue goes on", async () => {
  const { server, place, chat } = await begin(answer("one"), answer("two"), answer("three"));
  const { stdout, exitCode } = await chat([], "first\n\nsecond\u2028half \\\r\n/name Counting\n");
  expect([stdout, exitCode]).toEqual(["one\ntwo\nThe session is called Counting.\n", 0]);
  expect(JSON.stringify(server.requests[1])).toContain("second\u2028half");
  expect((await chat(["--continue", "--print", "third"])).stdout).toBe("three\n");
  expect((await messagesOf(place)).map(textOf)).toEqual([
    "first",
    "one",
    "second\u2028half \\",
    "two",
    "third",
    "three",
  ]);
  expect(await place.json(["list"])).toMatchObject([{ name: "Counting", messageCount: 6 }]);
});

test("/continue on a pipe fails if the answer did", async () => {
  const { chat } = await begin(answer("one"));
  expect((await chat([], "first\n")).exitCode).toBe(0);
  expect((await chat(["--continue"], "more\n")).exitCode).toBe(1);
  expect((await chat(["--continue"], "/continue\n")).exitCode).toBe(1);
});

test("on a pipe what changes something is refused unless it was allowed, reading is not", async () => {
  const { place, chat } = await begin(
    calls("read", { path: "here.txt" }),
    calls("write", { path: "new.txt", content: "made" }),
    answer("refused"),
    calls("write", { path: "new.txt", content: "made" }),
    answer("allowed"),
    calls("read", { path: "here.txt" }),
    answer("denied"),
  );
  writeFileSync(join(place.folder, "here.txt"), "what is here\n");
  expect((await chat(["--print", "go"])).stdout).toBe("refused\n");
  const results = (await messagesOf(place)).filter(({ role }) => role === "toolResult");
  expect(results).toMatchObject([{ isError: false, content: [{ text: "what is here" }] }, { isError: true }]);
  expect(existsSync(join(place.folder, "new.txt"))).toBe(false);
  expect((await chat(["--allow", "write,bash", "--print", "go"])).stdout).toBe("allowed\n");
  expect(readFileSync(join(place.folder, "new.txt"), "utf8")).toBe("made");
  await chat(["--deny", "all", "--print", "go"]);
  expect((await messagesOf(place)).filter(({ role }) => role === "toolResult")).toMatchObject([{ isError: true }]);
});

test("control sequences of a model and of tools are stored, and never printed", async () => {
  const evil = "a\u001b]0;title\u0007b\u001b[31mc\u202ed\u009b2J";
  const { place, chat } = await begin(calls("read", { path: "evil.txt" }), answer(evil), answer(evil));
  writeFileSync(join(place.folder, "evil.txt"), evil);
  for (const printed of [await chat(["--print", "go"]), await chat([], "go\n")]) {
    expect(printed.stdout).toBe("abcd\n");
    expect(printed.stderr).toBe(stripVTControlCharacters(printed.stderr));
    expect(printed.stderr).not.toMatch(/[\u202e\u009b]/);
  }
  const { stdout } = await begin(answer(evil)).then(({ chat: other }) => other(["--json", "--print", "go"]));
  expect(stripVTControlCharacters(stdout)).toBe(stdout);
  expect(stdout).not.toMatch(/[\u202e\u009b]/);
});

test("Ctrl-C stops the turn, and what was said so far is kept", async () => {
  const { server, place, at } = await begin({ kind: "stall", text: "half of an" });
  const child = spawn(process.execPath, [...program, "chat", ...at], {
    cwd: place.folder,
    env: { ...process.env, BOUGH_HOME: place.home, HOME: place.folder },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.write("tell me\n");
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  child.stdout.once("data", () => child.kill("SIGINT"));
  expect(await new Promise((done) => child.once("close", done))).toBe(130);
  expect(printed).toContain("half of");
  await expect.poll(() => server.hungUp).toBe(1);
  const entry = await place.json(["show", "@", "leaf"]);
  expect(entry.message).toMatchObject({ role: "assistant", stopReason: "aborted", content: [{ text: "half of an" }] });
});

test("--json tells what happens in lines, and the text that grows only once", async () => {
  const { place, chat } = await begin(answer("Hello."));
  const { stdout, exitCode } = await chat(["--json", "--print", "hello"]);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(exitCode).toBe(0);
  const [session] = await place.json(["list"]);
  expect(events[0]).toEqual({ type: "session", id: session.id, path: session.path });
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["agent_start", "message_end", "agent_end"]));
  const updates = events.filter(({ type }) => type === "message_update");
  expect(updates.some(({ assistantMessageEvent: { delta } }) => delta === "Hello.")).toBe(true);
  expect(updates.every((update) => !("message" in update) && !("partial" in update.assistantMessageEvent))).toBe(true);
});

test("a request that fails ends with 1, on standard error", async () => {
  const { chat } = await begin({ kind: "refuse", status: 400, message: "no such parameter" });
  const { stdout, stderr, exitCode } = await chat(["--print", "hello"]);
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toContain("no such parameter");
});

test("without a model it says what to set and stores nothing; without a key it is refused", async () => {
  const place = newPlace();
  const env = { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "", ANTHROPIC_OAUTH_TOKEN: "" };
  const { stdout, stderr, exitCode } = await place.run(["chat", "--print", "hello"], { env });
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toContain("bough chat --model demo");
  expect(stderr.split("\n").length).toBeLessThan(24);
  const refused = await place.run(["chat", "--model", "anthropic/claude-opus-4-7", "--print", "hello"], { env });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("bough: auth:");
  expect((await place.run(["chat", "--model", "nobody/nothing", "--print", "hello"])).exitCode).toBe(2);
  expect(await place.json(["list", "--all"])).toEqual([]);
});

test("what was typed wrongly is exit code 2", async () => {
  const place = newPlace();
  for (const args of [
    ["--model", "demo", "--allow", "everything"],
    ["--model", "demo", "--continue", "--session", "x"],
    ["--base-url", "nowhere", "--model", "x"],
    ["--base-url", "http://user:secret@127.0.0.1:1", "--model", "x"],
    ["--base-url", "http://127.0.0.1:1"],
    ["--model", "demo", "--thinking", "much"],
  ]) {
    expect([args, (await place.run(["chat", ...args, "--print", "hello"])).exitCode]).toEqual([args, 2]);
  }
});

test("the demo model answers and uses tools without any network", async () => {
  const place = newPlace();
  const { stdout, exitCode } = await place.run(["chat", "--model", "demo", "--allow", "all"], {
    input: 'write `a.txt`: some words\nchange "some" to "more" in `a.txt`\nrun `cat a.txt`\n',
  });
  expect(exitCode).toBe(0);
  expect(stdout).toContain("more words");
  expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("more words\n");
});

test("a conversation that is killed while a tool runs is taken up by the next one, and only by one at a time", async () => {
  const { server, place, at, chat } = await begin(
    calls("bash", { command: "touch begun; sleep 5" }),
    answer("I'll look."),
  );
  const child = spawn(process.execPath, [...program, "chat", ...at, "--allow", "bash", "--print", "go"], {
    cwd: place.folder,
    env: { ...process.env, BOUGH_HOME: place.home, HOME: place.folder },
    stdio: "ignore",
  });
  await expect.poll(() => existsSync(join(place.folder, "begun")), { timeout: 30_000 }).toBe(true);
  const second = await chat(["--continue", "--print", "me too"]);
  expect([second.exitCode, second.stdout]).toEqual([1, ""]);
  expect(second.stderr).toContain("bough: busy:");
  child.kill("SIGKILL");
  await new Promise((done) => child.once("close", done));
  const { stdout, exitCode } = await chat(["--continue"], "/continue\n");
  expect([stdout, exitCode]).toEqual(["I'll look.\n", 0]);
  expect(server.requests).toHaveLength(2);
  expect((await messagesOf(place)).map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
});

test("it is said where tools work if that is not the current folder, and if that is gone", async () => {
  const { place, chat } = await begin(answer("one"), answer("two"));
  expect((await chat([], "first\n")).stderr).not.toContain("folder");
  const folder = mkdtempSync(join(tmpdir(), "bough-cli-"));
  const created = await place.run(["append", "--new", "--cwd", folder], { input: linesOf([user("hi"), reply("ho")]) });
  const path = created.stderr.trim().split(/\s/).at(-1) ?? "";
  expect((await chat(["--session", path], "second\n")).stderr).toMatch(new RegExp(`^folder +${folder}$`, "m"));
  rmSync(folder, { recursive: true });
  const { stderr } = await chat(["--session", path], "/session\n");
  expect(stderr).toContain(`that folder is gone; tools work in ${place.folder}`);
});

test("--print - says what stands on standard input", async () => {
  const { server, chat } = await begin(answer("Fine."));
  expect((await chat(["--print", "-"], "line one\nline two\n")).stdout).toBe("Fine.\n");
  expect(JSON.stringify(server.requests[0])).toContain("line one\\nline two");
});

test.each(["SIGHUP", "SIGTERM"] as const)("a command ends with the program, also by %s", async (signal) => {
  const { place, at } = await begin(calls("bash", { command: "echo $$ > pid; sleep 60" }));
  const child = spawn(process.execPath, [...program, "chat", ...at, "--allow", "bash", "--print", "go"], {
    cwd: place.folder,
    env: { ...process.env, BOUGH_HOME: place.home, HOME: place.folder },
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const file = join(place.folder, "pid");
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8") !== "", { timeout: 20_000 }).toBe(true);
  child.kill(signal);
  await ended;
  const isAlive = () => existsSync(`/proc/${readFileSync(file, "utf8").trim()}/cmdline`);
  await expect.poll(isAlive, { timeout: 5000 }).toBe(false);
});

test("a server named for all times answers for its own model, and not for one of a provider", async () => {
  const env = { BOUGH_BASE_URL: "http://127.0.0.1:1/v1" };
  const known = "anthropic/claude-opus-4-7";
  const providerOf = async (options: ModelOptions) => (await new ModelChoice({ env }, options).asked())?.provider;
  expect(await providerOf({ model: "local/one" })).toBe("127.0.0.1:1");
  expect(await providerOf({ model: known })).toBe("anthropic");
  expect(await providerOf({ model: known, baseUrl: "http://127.0.0.1:2/v1" })).toBe("127.0.0.1:2");
});
