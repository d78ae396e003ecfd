import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startProvider } from "../../../harness/test/support/provider-server.ts";
import { newPlace } from "../support/bough.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const program = resolve(import.meta.dirname, "../../src/main.ts");

/** A real terminal of 80 by 30, in which the program runs. */
function terminal(args: readonly string[]) {
  const place = newPlace();
  const socket = join(place.folder, "tmux");
  const tmux = (...words: readonly string[]) => execFileSync("tmux", ["-S", socket, ...words], { encoding: "utf8" });
  const quoted = [process.execPath, "--conditions=bough-source", program, ...args].map((word) => `'${word}'`).join(" ");
  const setting = `BOUGH_HOME='${place.home}' HOME='${place.folder}' TERM=xterm-256color`;
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
    shows: async (pattern: RegExp) => await expect.poll(screen, { timeout: 30_000, interval: 100 }).toMatch(pattern),
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
  await expect.poll(() => existsSync(join(place.folder, "made")), { timeout: 30_000 }).toBe(true);
  type("and this", "Enter");
  await shows(/said after this turn/);
  await shows(/Both heard\.\n.*\n› ?$/);
  expect(JSON.stringify(server.requests.at(-1))).toContain("and this");

  type("more", "Enter");
  await shows(/half of/);
  type("C-c");
  await shows(/half of an\n.*is kept\n.*\n› ?$/);
  expect((await place.json(["show", "@", "leaf"])).message).toMatchObject({ stopReason: "aborted" });

  type("/tree leaf~1", "Enter");
  await shows(/› more$/);
  type("C-c");
  await shows(/› ?$/);
  type("C-d");
  await shows(/ended 0$/);
});
