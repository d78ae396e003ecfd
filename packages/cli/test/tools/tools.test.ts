import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import type { HarnessTool } from "@bough/harness";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../bough/test/support/temporary-folder.ts";
import type { ToolResult } from "../../src/tools/text-result.ts";
import { ToolGate, type ToolPolicy } from "../../src/tools/tool-gate.ts";
import { toolSet } from "../../src/tools/tool-set.ts";

function workplace() {
  const folder = temporaryFolder();
  const tools = new Map(toolSet(folder).map((tool) => [tool.name, tool]));
  const tool = (name: string) => tools.get(name) as HarnessTool;
  const run = (name: string, args: object, signal?: AbortSignal) => tool(name).execute("id", args, signal);
  const probe = (name: string, args: object) => tool(name).probe?.(args, { key: "key" });
  const at = (name: string) => join(folder, name);
  return { folder, tool, run, probe, at };
}

function textOf(result: ToolResult | "not_started" | undefined): string {
  const [block] = typeof result === "object" ? result.content : [];
  return block?.type === "text" ? block.text : "";
}

describe("read", () => {
  test("gives a file, or the lines that were asked for and where to go on", async () => {
    const { run, at } = workplace();
    writeFileSync(at("a.txt"), "one\ntwo\nthree\nfour\n");
    expect(textOf(await run("read", { path: "a.txt" }))).toBe("one\ntwo\nthree\nfour");
    const part = textOf(await run("read", { path: at("a.txt"), offset: 2, limit: 2 }));
    expect(part).toMatch(/^two\nthree\n\n\[.*2 .*3 .*4.*offset 4.*\]$/);
    await expect(run("read", { path: "a.txt", offset: 9 })).rejects.toThrow();
  });

  test("cuts what is too long, lines and characters, and says so", async () => {
    const { run, at } = workplace();
    writeFileSync(at("many.txt"), Array.from({ length: 3000 }, (_, index) => `line ${index + 1}\n`).join(""));
    const many = textOf(await run("read", { path: "many.txt" }));
    expect(many.split("\n").at(-3)).toBe("line 2000");
    expect(many).toContain("offset 2001");
    writeFileSync(at("wide.txt"), `${"x".repeat(200_000)}\nrest\n`);
    const wide = textOf(await run("read", { path: "wide.txt" }));
    expect(wide.length).toBeLessThan(51_000);
    expect(wide).toContain("offset 2");
  });

  test("refuses what is no text, what isn't there, and what never ends", async () => {
    const { run, at } = workplace();
    writeFileSync(at("b.bin"), Buffer.from([1, 0, 2]));
    execFileSync("mkfifo", [at("pipe")]);
    for (const path of ["b.bin", "none.txt", ".", "pipe", "/dev/zero"])
      await expect(run("read", { path })).rejects.toThrow();
  });
});

describe("write and edit", () => {
  test("a file is written whole, with its folders; it keeps its mode, and a link its target", async () => {
    const { run, at } = workplace();
    await run("write", { path: "deep/er/a.txt", content: "first" });
    chmodSync(at("deep/er/a.txt"), 0o750);
    symlinkSync(at("deep/er/a.txt"), at("link.txt"));
    await run("write", { path: "link.txt", content: "second" });
    expect(readFileSync(at("deep/er/a.txt"), "utf8")).toBe("second");
    expect(statSync(at("deep/er/a.txt")).mode & 0o777).toBe(0o750);
  });

  test("an edit replaces what occurs once, and nothing else", async () => {
    const { run, at } = workplace();
    writeFileSync(at("a.ts"), "const a = 1;\nconst b = 1;\n");
    await run("edit", { path: "a.ts", oldText: "a = 1", newText: "a = '$&'" });
    expect(readFileSync(at("a.ts"), "utf8")).toBe("const a = '$&';\nconst b = 1;\n");
    for (const oldText of ["const", "missing"]) {
      await expect(run("edit", { path: "a.ts", oldText, newText: "" })).rejects.toThrow();
    }
  });

  test("writing goes where a link points to, and replaces files only", async () => {
    const { run, at } = workplace();
    symlinkSync("to/come.txt", at("link.txt"));
    await run("write", { path: "link.txt", content: "new" });
    expect(readFileSync(at("to/come.txt"), "utf8")).toBe("new");
    mkdirSync(at("folder/deep"), { recursive: true });
    symlinkSync("folder/deep", at("short"));
    symlinkSync("../beside.txt", at("folder/deep/link.txt"));
    await run("write", { path: "short/link.txt", content: "beside" });
    expect(readFileSync(at("folder/beside.txt"), "utf8")).toBe("beside");
    await run("write", { path: "x".repeat(250), content: "long" });
    execFileSync("mkfifo", [at("pipe")]);
    for (const path of ["pipe", "other/"]) await expect(run("write", { path, content: "" })).rejects.toThrow();
    expect(statSync(at("pipe")).isFIFO()).toBe(true);
    expect(readdirSync(at(".")).sort()).toEqual(["folder", "link.txt", "pipe", "short", "to", "x".repeat(250)]);
  });

  test("an edit changes no byte besides, or nothing at all", async () => {
    const { run, at } = workplace();
    const edit = { path: "a.txt", oldText: "x = 3", newText: "x = 4" };
    for (const bytes of [Buffer.from("caf\xe9\nx = 3\n", "latin1"), Buffer.from(`${"a".repeat(9000)}\0x = 3`)]) {
      writeFileSync(at("a.txt"), bytes);
      await expect(run("edit", edit)).rejects.toThrow();
      expect(readFileSync(at("a.txt"))).toEqual(bytes);
    }
    writeFileSync(at("a.txt"), "\ufeffcafé\nx = 3\n");
    await run("edit", edit);
    expect(readFileSync(at("a.txt"), "utf8")).toBe("\ufeffcafé\nx = 4\n");
  });

  test("an edit counts places that overlap, and takes the line ends of the file", async () => {
    const { run, probe, at } = workplace();
    writeFileSync(at("a.txt"), "aaa");
    await expect(run("edit", { path: "a.txt", oldText: "aa", newText: "b" })).rejects.toThrow();
    writeFileSync(at("a.txt"), "a\r\nb\r\nc\r\n");
    const edit = { path: "a.txt", oldText: "a\nb", newText: "B\nB2" };
    expect(await probe("edit", edit)).toBe("not_started");
    await run("edit", edit);
    expect(readFileSync(at("a.txt"), "utf8")).toBe("B\r\nB2\r\nc\r\n");
    expect(textOf(await probe("edit", edit))).toContain("a.txt");
    writeFileSync(at("a.txt"), "a\r\nb\n");
    await expect(run("edit", edit)).rejects.toThrow();
  });

  test("after a crash the file tells whether they happened, where it can", async () => {
    const { run, probe, at } = workplace();
    const write = { path: "a.txt", content: "old words" };
    expect(await probe("write", write)).toBe("not_started");
    await run("write", write);
    expect(textOf(await probe("write", write))).toContain("a.txt");
    const edit = { path: "a.txt", oldText: "old", newText: "new" };
    expect(await probe("edit", edit)).toBe("not_started");
    await run("edit", edit);
    expect(textOf(await probe("edit", edit))).toContain("a.txt");
    expect(await probe("edit", { ...edit, newText: "newer" })).toBeUndefined();
    mkdirSync(at("folder"));
    expect(await probe("edit", { path: "none.txt", oldText: "old", newText: "new" })).toBeUndefined();
  });
});

describe("bash", () => {
  test("gives what was printed and how it ended", async () => {
    const { run, folder } = workplace();
    expect(textOf(await run("bash", { command: "pwd -P" }))).toContain(folder.split("/").at(-1));
    const failed = await run("bash", { command: "echo out; echo err >&2; exit 3" });
    expect(failed).toMatchObject({ isError: true, details: { exitCode: 3 } });
    expect(textOf(failed)).toMatch(/^out\nerr\n\n\[.*3.*\]$/);
    expect(textOf(await run("bash", { command: 'read line; echo "got $line"' }))).toBe("got");
  });

  test("of long output the end is kept, and it says how much is missing", async () => {
    const { run } = workplace();
    const text = textOf(await run("bash", { command: "seq 5000" }));
    expect(text).toMatch(/^\[.*3000 lines.*\]\n3001\n/);
    expect(text.endsWith("\n5000")).toBe(true);
    const wide = textOf(await run("bash", { command: "head -c 300000 /dev/zero | tr '\\0' a; echo the end" }));
    expect(wide.endsWith("athe end")).toBe(true);
    expect(wide.length).toBeLessThan(51_000);
  });

  test("a timeout and an abort end the command and all it started", async () => {
    const { run, at } = workplace();
    const command = "(sleep 2; touch late.txt) & sleep 30";
    const began = Date.now();
    expect(await run("bash", { command, timeout: 0.2 })).toMatchObject({ isError: true });
    const controller = new AbortController();
    const running = run("bash", { command }, controller.signal);
    setTimeout(() => controller.abort(), 200);
    expect(await running).toMatchObject({ isError: true });
    expect(Date.now() - began).toBeLessThan(20_000);
    await later(2500);
    expect(existsSync(at("late.txt"))).toBe(false);
  });

  test("what it leaves in the background doesn't keep it waiting", async () => {
    const { run } = workplace();
    const began = Date.now();
    expect(textOf(await run("bash", { command: "sleep 30 & echo begun; kill -0 $!" }))).toBe("begun");
    expect(Date.now() - began).toBeLessThan(20_000);
    await run("bash", { command: "pkill -P $$ sleep; true" });
  });
});

describe("what may run", () => {
  const gated = (policies: Record<string, ToolPolicy>, answers: ("yes" | "always" | "no")[] | undefined) => {
    const asked: string[] = [];
    const ask =
      answers &&
      (async ({ name }: { name: string }) => {
        asked.push(name);
        return answers.shift() ?? "no";
      });
    const { folder, tool, at } = workplace();
    const gate = new ToolGate({ policies, ask });
    const touch = (name: string) => gate.guarded(tool("write"), folder).execute("id", { path: name, content: "" });
    return { touch, asked, at };
  };

  test("a tool runs, is asked for, or is refused", async () => {
    const { touch, at } = gated({ write: "allow" }, undefined);
    await touch("a");
    expect(existsSync(at("a"))).toBe(true);
    for (const { touch: refused, at: place } of [
      gated({ write: "deny" }, ["yes"]),
      gated({ write: "ask" }, undefined),
      gated({}, undefined),
    ]) {
      await expect(refused("a")).rejects.toThrow();
      expect(existsSync(place("a"))).toBe(false);
    }
  });

  test("yes is for one call, always for all that follow", async () => {
    const { touch, asked, at } = gated({ write: "ask" }, ["yes", "no", "always"]);
    await touch("a");
    await expect(touch("b")).rejects.toThrow();
    await touch("c");
    await touch("d");
    expect(asked).toHaveLength(3);
    expect(["a", "b", "c", "d"].map((name) => existsSync(at(name)))).toEqual([true, false, true, true]);
  });
});
