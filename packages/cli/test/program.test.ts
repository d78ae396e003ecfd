import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { commandGroups, commandTable } from "../src/command-table.ts";
import { remedies } from "../src/remedies.ts";
import { newPlace, user } from "./support/bough.ts";

describe("the program", () => {
  test("help has every command in its group", async () => {
    const { stdout, exitCode } = await newPlace().run(["--help"]);
    expect(exitCode).toBe(0);
    const places = commandGroups.map((group) => stdout.indexOf(`\n${group}:\n`));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    for (const { name, group } of commandTable) {
      const section = stdout.slice(stdout.indexOf(`\n${group}:\n`)).split("\n\n", 1)[0];
      expect(section).toMatch(new RegExp(`^  ${name} `, "m"));
    }
  });

  test("what was typed wrongly is exit code 2, on standard error", async () => {
    const place = newPlace();
    for (const args of [
      ["tre"],
      ["tree", "--no-such"],
      ["show"],
      ["tree", "a", "b"],
      ["list", "--limit", "x"],
      ["completion", "csh"],
    ]) {
      const { exitCode, stdout, stderr } = await place.run(args);
      expect([args, exitCode, stdout]).toEqual([args, 2, ""]);
      expect(stderr).toContain("bough: usage:");
    }
  });

  test("errors have their code and what to do", async () => {
    const { exitCode, stderr } = await newPlace().run(["tree", "nothing"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("bough: not_found:");
    expect(stderr).toContain(remedies.not_found);
  });

  test("a reader that stops early ends it quietly", async () => {
    const place = newPlace();
    const { path } = await place.create(
      Array.from({ length: 3000 }, (_, index) => user(`${index} ${"x".repeat(150)}`)),
    );
    const program = resolve(import.meta.dirname, "../src/main.ts");
    const child = spawn(process.execPath, ["--conditions=bough-source", program, "tree", path], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let complaints = "";
    child.stderr.on("data", (chunk) => {
      complaints += chunk;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    expect(await new Promise((done) => child.once("close", done))).toBe(0);
    expect(complaints).toBe("");
  });

  test("completions are scripts that know every command", async () => {
    const place = newPlace();
    for (const shell of ["bash", "zsh", "fish"]) {
      const { stdout } = await place.run(["completion", shell]);
      for (const { name } of commandTable) expect(stdout).toContain(name);
    }
    const script = `${(await place.run(["completion", "bash"])).stdout}\nCOMP_WORDS=(bough exp) COMP_CWORD=1; _bough; echo "\${COMPREPLY[@]}"`;
    const child = spawn("bash", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    await new Promise((done) => child.once("close", done));
    expect(printed).toBe("export\n");
  });

  test("the demo really runs what it tells of, the crash included", async () => {
    const place = newPlace();
    const { stdout, stderr, exitCode } = await place.run(["demo"], { env: { TMPDIR: place.folder } });
    expect([stderr, exitCode]).toEqual(["", 0]);
    expect(stripVTControlCharacters(stdout)).toBe(stdout);
    expect(stdout).not.toContain("✗");
    const sessions = await place.json(["list", "--all"]);
    expect(sessions).toHaveLength(2);
    const [{ path, cwd }] = sessions.filter((info: { parentSession?: string }) => info.parentSession === undefined);
    expect(await place.json(["check", path])).toMatchObject({ ok: true });
    expect((await place.json(["stats", path])).branches).toBe(2);
    expect((await place.json(["tree", path, "--filter", "labeled-only"])).rows).toHaveLength(2);
    const stored = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const count = (fits: (entry: { type: string; customType?: string; message?: unknown }) => boolean) =>
      stored.filter(fits).length;
    expect(count(({ type }) => type === "branch_summary")).toBe(1);
    expect(count(({ type }) => type === "compaction")).toBe(1);
    expect(count(({ customType }) => customType === "bough.queue")).toBe(1);
    expect(count(({ customType }) => customType === "bough.op_resume")).toBe(1);
    expect(count(({ message }) => JSON.stringify(message)?.includes('"recovered":"unknown"'))).toBe(1);
    expect(readFileSync(join(cwd, "deploy.log"), "utf8")).toBe("deploying\ndeployed\n");
  });

  test("docs/cli.md has every command with its options and an example", () => {
    const manual = readFileSync(resolve(import.meta.dirname, "../../../docs/cli.md"), "utf8");
    const sections = new Map(
      manual
        .split(/^### /m)
        .slice(1)
        .map((section) => [section.slice(0, section.indexOf("\n")), section]),
    );
    expect([...sections.keys()].map((heading) => /^`bough ([a-z]+)/.exec(heading)?.[1])).toEqual(
      commandTable.map(({ name }) => name),
    );
    for (const [heading, section] of sections) {
      const row = commandTable.find(({ name }) => heading.startsWith(`\`bough ${name}`));
      expect(heading).toBe(`\`bough ${[row?.name, row?.arguments].filter(Boolean).join(" ")}\``);
      for (const { flags } of row?.options ?? []) expect(section).toContain(`\`${flags}\``);
      expect(section).toMatch(new RegExp(`^\`\`\`sh\n(.*\n)*.*bough ${row?.name}`, "m"));
    }
  });
});
