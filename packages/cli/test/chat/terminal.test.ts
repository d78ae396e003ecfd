import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startProvider } from "../../../harness/test/support/provider-server.ts";
import { newPlace } from "../support/bough.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const program = resolve(import.meta.dirname, "../../src/main.ts");

/** Steps that a slow machine takes its time for. */
const patience = 30_000;

/** A real terminal of 80 by 30, in which the program runs. */
function terminal(args: readonly string[], place = newPlace(), name = "tmux") {
  const socket = join(place.folder, name);
  const tmux = (...words: readonly string[]) => execFileSync("tmux", ["-S", socket, ...words], { encoding: "utf8" });
  const quoted = [process.execPath, "--conditions=bough-source", program, ...args].map((word) => `'${word}'`).join(" ");
  const setting = `env -u CI -u NO_COLOR BOUGH_HOME='${place.home}' HOME='${place.folder}' TERM=xterm-256color`;
  tmux(
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-x",
    "80",
    "-y",
    "30",
    "-c",
    place.folder,
    `${setting} ${quoted}; echo ended $?; sleep 60`,
  );
  onTestFinished(() => void spawnSync("tmux", ["-S", socket, "kill-server"]));
  const screen = () => tmux("capture-pane", "-p").trimEnd();
  return {
    place,
    type: (...keys: readonly string[]) => void tmux("send-keys", ...keys),
    shows: async (pattern: RegExp) => await expect.poll(screen, { timeout: patience, interval: 100 }).toMatch(pattern),
    screen,
  };
}

test.skipIf(!hasTmux)("on a terminal: Markdown is drawn, tools are asked for, Ctrl-C stops, Ctrl-D ends", async () => {
  const server = await startProvider("openai");
  const usage = { input: 10, output: 5 };
  server.script(
    { kind: "reply", text: "# Title\n\n- **one** and `two`\n", usage },
    { kind: "reply", calls: [{ id: "c1", name: "bash", args: { command: "touch made; sleep 4" } }], usage },
    { kind: "reply", text: "Both heard.", usage },
    { kind: "stall", text: "half of an" },
  );
  const { place, type, shows } = terminal(["chat", "--base-url", server.model.baseUrl, "--model", "local-one"]);
  await shows(/^› ?$/m);
  type("hello", "Enter");
  await shows(/^Title\n\n• one and two\n.*\n› ?$/m);

  type("go", "Enter");
  await shows(/\$ touch made; sleep 4\n {2}Run bash\?.*: ?$/);
  expect(existsSync(join(place.folder, "made"))).toBe(false);
  type("y", "Enter");
  await expect.poll(() => existsSync(join(place.folder, "made")), { timeout: patience }).toBe(true);
  type("and this", "Enter");
  await shows(/said after this turn/);
  await shows(/Both heard\.\n.*\n› ?$/);
  expect(JSON.stringify(server.requests.at(-1))).toContain("and this");

  type("more", "Enter");
  await shows(/half of/);
  type("/name Later", "Enter");
  await shows(/› \/name Later\n {2}\(commands wait/);
  type("not heard", "Enter");
  await shows(/› not heard\n {2}\(said after this turn/);
  type("C-c");
  await shows(/is kept\n.*\n› \/name Later$/);
  type("Enter");
  await shows(/is called Later\.\n› not heard$/);
  type("C-c");
  expect((await place.json(["show", "@", "leaf"])).message).toMatchObject({ stopReason: "aborted" });

  type("/tree leaf~1", "Enter");
  await shows(/› more$/);
  type("C-c");
  await shows(/› ?$/);
  type("C-d");
  await shows(/ended 0$/);
});

test.skipIf(!hasTmux)(
  "UI-07 UI-12 what is typed during a summary isn't overwritten, and only the user's words are offered again",
  async () => {
    const server = await startProvider("openai");
    const usage = { input: 10, output: 5 };
    server.script(
      { kind: "reply", text: "One.", usage },
      { kind: "reply", text: "Two.", usage },
      { kind: "stall", text: "## Goal" },
    );
    const place = newPlace();
    mkdirSync(join(place.home, "extensions"), { recursive: true });
    const note = `{ customType: "guide", content: "internal", display: false }`;
    const body = `api.registerCommand("note", { handler: async () => void (await api.sendMessage(${note})) });`;
    writeFileSync(join(place.home, "extensions/note.js"), `export default (api) => { ${body} };`);
    const { type, shows } = terminal(["chat", "--base-url", server.model.baseUrl, "--model", "local-one"], place);
    await shows(/^› ?$/m);
    type("two\nlines", "Enter");
    await shows(/One\.\n.*\n› ?$/);
    expect(JSON.stringify(server.requests[0])).toContain("two\\nlines");
    type("/note", "Enter");
    await shows(/› \/note\n› ?$/);
    type("more", "Enter");
    await shows(/Two\.\n.*\n› ?$/);

    type("/tree root summarize", "Enter");
    await expect.poll(() => server.requests.length, { timeout: patience }).toBe(3);
    type("new words", "Enter");
    type("C-c");
    await shows(/stays where it was\.\n› new words$/);
    type("C-c");
    type("/tree leaf~2", "Enter");
    await shows(/at [0-9a-f]{8} {2}One\.\n› ?$/);
    type("/tree leaf~1", "Enter");
    await shows(/› two ⏎ lines$/);
    type("C-c");
    type("C-d");
    await shows(/ended 0$/);
  },
);

test.skipIf(!hasTmux)(
  "a session that somebody else is in isn't taken up, and what was said goes to a new one",
  async () => {
    const server = await startProvider("openai");
    const reply = { kind: "reply", text: "Yes.", usage: { input: 10, output: 5 } } as const;
    server.script(reply, reply);
    const place = newPlace();
    const args = ["chat", "--base-url", server.model.baseUrl, "--model", "local-one"];
    const first = terminal(args, place, "first");
    await first.shows(/^› ?$/m);
    first.type("mine", "Enter");
    await first.shows(/Yes\.\n.*\n› ?$/);
    const second = terminal(args, place, "second");
    await second.shows(/^› ?$/m);
    second.type("/resume @", "Enter");
    await second.shows(/busy:[\s\S]*\n› ?$/);
    second.type("yours", "Enter");
    await second.shows(/Yes\.\n.*\n› ?$/);
    expect(await place.json(["list"])).toMatchObject([{ firstMessage: "yours" }, { firstMessage: "mine" }]);
  },
);
