import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sharedPath } from "../../bough/test/support/shared.ts";
import { linesOf, newPlace, reply, user } from "./support/bough.ts";

const branching = [
  user("first", { id: "u1" }),
  reply([{ type: "toolCall", id: "k", name: "read", arguments: { path: "a.ts", offset: 10, limit: 11 } }], {
    id: "c1",
  }),
  { role: "toolResult", toolCallId: "k", toolName: "read", content: "found", id: "r1" },
  reply("the answer", { id: "a1" }),
  user("second", { id: "u2" }),
  { type: "leaf", targetId: "a1" },
  user("third", { id: "u3" }),
  { type: "label", targetId: "a1", label: "fork point" },
];

const harmless = /^(?:\n|[^\p{Cc}\u202e])*$/u;

describe("tree", () => {
  test("prints rows of the visible tree, the active path first", async () => {
    const place = newPlace();
    const { path } = await place.create(branching);
    const { leafId, rows, diagnostics } = await place.json(["tree", path]);
    expect(leafId).toBe("u3");
    expect(diagnostics).toEqual([]);
    expect(rows).toEqual([
      { id: "u1", parentId: null, depth: 0, type: "message", role: "user", onActivePath: true, text: "first" },
      {
        id: "r1",
        parentId: "u1",
        depth: 0,
        type: "message",
        role: "toolResult",
        onActivePath: true,
        text: "[read: a.ts:10-20]",
      },
      {
        id: "a1",
        parentId: "r1",
        depth: 0,
        type: "message",
        role: "assistant",
        label: "fork point",
        onActivePath: true,
        text: "the answer",
      },
      { id: "u3", parentId: "a1", depth: 1, type: "message", role: "user", onActivePath: true, text: "third" },
      { id: "u2", parentId: "a1", depth: 1, type: "message", role: "user", onActivePath: false, text: "second" },
    ]);
  });

  test("UI-08 pi-193 filters and searches", async () => {
    const place = newPlace();
    const { path } = await place.create(branching);
    const idsOf = async (...options: string[]) =>
      (await place.json(["tree", path, ...options])).rows.map(({ id }: { id: string }) => id);
    expect(await idsOf("--filter", "all")).toContain("c1");
    expect(await idsOf("--filter", "user-only")).toEqual(["u1", "u3", "u2"]);
    expect(await idsOf("--filter", "labeled-only")).toEqual(["a1"]);
    expect(await idsOf("--search", "ANSWER the")).toEqual(["a1"]);
    expect((await place.run(["tree", path, "--filter", "some"])).exitCode).toBe(2);
  });

  test("a labelled result tells of its call, though neither the reply nor the results between are shown", async () => {
    const place = newPlace();
    const calls = ["k1", "k2"].map((id) => ({ type: "toolCall", id, name: "read", arguments: { path: `${id}.ts` } }));
    const { path } = await place.create([
      user("first", { id: "u1" }),
      reply(calls, { id: "c1" }),
      ...["k1", "k2"].map((id) => ({
        role: "toolResult",
        toolCallId: id,
        toolName: "read",
        content: "found",
        id: `r${id}`,
      })),
      reply("the answer", { id: "a1" }),
      { type: "label", targetId: "rk2", label: "here" },
    ]);
    const { rows } = await place.json(["tree", path, "--filter", "labeled-only"]);
    expect(rows).toMatchObject([{ id: "rk2", parentId: null, text: "[read: k2.ts]" }]);
  });

  test("is drawn on a pipe, and `bough FILE` draws it too", async () => {
    const place = newPlace();
    const { path } = await place.create(branching);
    const { stdout } = await place.run([path]);
    expect(stdout.split("\n")).toEqual([
      "u1        ● user: first",
      "r1        ● [read: a.ts:10-20]",
      "a1        ● [fork point] assistant: the answer",
      "u3        ├─ ◉ user: third",
      "u2        └─ ○ user: second",
      "",
    ]);
    expect((await place.run(["tree", path])).stdout).toBe(stdout);
  });

  test("EX-13 stored text reaches no terminal as control sequences", async () => {
    const place = newPlace();
    const text = "\u001b[1;32mBuild\u001b[0m ok \u001b]2;taken over\u0007 line1\nline2 \u202e\u009b1m";
    const { path } = await place.create([user(text, { id: "u1" }), { type: "session_info", name: text }]);
    expect((await place.json(["tree", path])).rows[0].text).toBe("Build ok line1 line2");
    for (const args of [
      ["tree", path],
      ["show", path, "u1"],
      ["context", path],
      ["list"],
      ["export", path, "--markdown", "--out", "-"],
    ]) {
      const { stdout, stderr } = await place.run(args);
      expect(stdout + stderr).toContain("Build ok");
      expect(stdout + stderr).toMatch(harmless);
    }
    const { stdout } = await place.run(["show", path, "u1", "--json"]);
    expect(JSON.parse(stdout).message.content).toBe(text);
    expect(stdout).toMatch(harmless);
  });
});

describe("sessions and entries are named", () => {
  test("LS-06 LS-13 by path, id, name, start or end of an id, and @; nothing else opens, and nothing is created", async () => {
    const place = newPlace();
    const { path, id } = await place.create([user("hi", { id: "u1" }), { type: "session_info", name: "A name" }]);
    await place.create([user("elsewhere")]);
    for (const name of [path, id, "A name", id.slice(-8)]) {
      expect((await place.json(["tree", name])).leafId).toBe("u1");
    }
    const newest = await place.run(["tree", "--json"]);
    expect(JSON.parse(newest.stdout).rows[0].text).toBe("elsewhere");
    expect(newest.stderr).toContain("elsewhere");
    expect((await place.json(["tree", "@"])).rows[0].text).toBe("elsewhere");
    for (const name of ["nope", "no/where.jsonl", id.slice(-3)]) {
      const { exitCode, stderr } = await place.run(["tree", name]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("not_found");
    }
    const shared = await place.run(["tree", id.slice(0, 4)]);
    expect([shared.exitCode, shared.stderr.includes("ambiguous"), shared.stderr.includes(id)]).toEqual([1, true, true]);
    expect(existsSync(join(place.folder, "nope"))).toBe(false);
    expect(await place.json(["list"])).toHaveLength(2);
  });

  test("@ is the newest as of now, with a catalog as without one", async () => {
    const place = newPlace();
    const { path } = await place.create([user("older", { id: "u1" })]);
    await place.create([user("newer")]);
    await place.run(["list"]);
    expect(existsSync(join(place.home, "catalog.sqlite"))).toBe(true);
    expect((await place.json(["tree", "@"])).rows[0].text).toBe("newer");
    await place.run(["append", path], { input: linesOf([user("the newest of all")]) });
    expect((await place.json(["tree", "@"])).rows[0].text).toBe("older");
    writeFileSync(join(place.home, "catalog.sqlite"), "no catalog".repeat(100));
    expect((await place.json(["tree", "@"])).rows[0].text).toBe("older");
  });

  test("entries by id, its start or end, @LABEL, leaf, leaf~N and root", async () => {
    const place = newPlace();
    const { path } = await place.create(branching);
    const idOf = async (name: string) => (await place.json(["show", path, name])).id;
    for (const [name, id] of [
      ["u2", "u2"],
      ["leaf", "u3"],
      ["leaf~1", "a1"],
      ["root", "u1"],
      ["@fork point", "a1"],
      ["r", "r1"],
    ] as const) {
      expect(await idOf(name)).toBe(id);
    }
    for (const [name, code] of [
      ["u", "ambiguous"],
      ["leaf~9", "not_found"],
      ["@none", "not_found"],
      ["zz", "not_found"],
    ] as const) {
      const { exitCode, stderr } = await place.run(["show", path, name]);
      expect([exitCode, stderr.includes(code)]).toEqual([1, true]);
    }
  });
});

describe("list", () => {
  test("LS-08 has this project's sessions, newest first, filtered before they are counted off", async () => {
    const place = newPlace();
    const message = (text: string, hour: number) => user(text, { timestamp: Date.UTC(2026, 0, 1, hour) });
    const old = await place.create([message("old", 1), { type: "session_info", name: "Named" }]);
    const middle = await place.create([message("middle", 2)]);
    const recent = await place.create([message("recent", 3)]);
    const idsOf = async (...options: string[]) =>
      (await place.json(["list", ...options])).map(({ id }: { id: string }) => id);
    expect(await idsOf()).toEqual([recent.id, middle.id, old.id]);
    expect(await idsOf("--named", "--limit", "1")).toEqual([old.id]);
    expect(await idsOf("--cwd", "/elsewhere")).toEqual([]);
    expect(await idsOf("--cwd", "/elsewhere", "--all")).toHaveLength(3);
    expect((await place.json(["list", "--named"]))[0]).toEqual({
      id: old.id,
      path: old.path,
      cwd: place.folder,
      name: "Named",
      firstMessage: "old",
      messageCount: 1,
      created: expect.any(String),
      modified: "2026-01-01T01:00:00.000Z",
    });
    const { stdout } = await place.run([]);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.slice(0, 8)),
    ).toEqual([recent, middle, old].map(({ id }) => id.slice(-8)));
    expect((await place.run(["list", "--limit", "0"])).exitCode).toBe(2);
  });

  test("UI-09 a fork is told from its parent", async () => {
    const place = newPlace();
    const { path } = await place.create([user("hi", { id: "u1" })]);
    await place.json(["fork", path, "u1"]);
    const lines = (await place.run(["list"])).stdout.trimEnd().split("\n");
    expect(lines.filter((line) => line.includes("⑂"))).toHaveLength(1);
  });

  test("an empty store says which agents' sessions it found", async () => {
    const place = newPlace();
    const empty = await place.run([]);
    expect([empty.exitCode, empty.stdout]).toEqual([0, ""]);
    expect(empty.stderr).toContain("bough demo");
    const folder = join(place.folder, ".pi/agent/sessions/--project--");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "a.jsonl"),
      '{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}\n',
    );
    const { stderr } = await place.run([]);
    expect(stderr).toContain(`bough ${join(folder, "a.jsonl")}`);
  });
});

describe("context, stats and check", () => {
  test("have the fields that scripts rely on", async () => {
    const place = newPlace();
    const { path } = await place.create([
      ...branching,
      { type: "compaction", summary: "so far", firstKeptEntryId: "u3", tokensBefore: 10 },
    ]);
    const context = await place.json(["context", path]);
    expect(Object.keys(context)).toEqual([
      "leafId",
      "messages",
      "model",
      "thinkingLevel",
      "activeToolNames",
      "injectedRules",
      "diagnostics",
    ]);
    expect(context.messages.map(({ role }: { role: string }) => role)).toEqual(["compactionSummary", "user"]);
    expect((await place.json(["context", path, "--llm"])).messages.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "user",
    ]);
    expect((await place.json(["context", path, "--leaf", "@fork point"])).messages).toHaveLength(4);
    const stats = await place.json(["stats", path]);
    expect(stats).toMatchObject({ entries: 9, messages: 6, branches: 2, cost: null });
    expect(Object.keys(stats.tokens)).toEqual(["input", "output", "cacheRead", "cacheWrite", "total"]);
    expect(await place.json(["check", path])).toEqual({ ok: true, entries: 9, diagnostics: [] });
  });

  test("a damaged session is still read, and check fails for it", async () => {
    const place = newPlace();
    const { path } = await place.create([user("hi", { id: "u1" }), reply("hello", { id: "a1" })]);
    writeFileSync(
      path,
      `${readFileSync(path, "utf8")}garbage\n{"type":"message","id":"x","parentId":"gone","timestamp":""`,
    );
    const { exitCode, stdout } = await place.run(["check", path, "--json"]);
    const { ok, diagnostics } = JSON.parse(stdout);
    expect([exitCode, ok]).toEqual([1, false]);
    expect(diagnostics.map(({ code }: { code: string }) => code).sort()).toEqual(["malformed_line", "torn_tail"]);
    expect((await place.json(["tree", path])).diagnostics).toEqual(diagnostics);
    expect((await place.json(["context", path])).messages).toHaveLength(2);
    const { stderr } = await place.run(["tree", path]);
    expect(stderr).toContain("malformed_line");
  });

  test("check names the line of a finding, however far from the end of a file it is", async () => {
    const place = newPlace();
    const said = Array.from({ length: 300 }, (_, at) => user("x".repeat(1000), { id: `u${at}` }));
    const { path } = await place.create(said);
    const lines = readFileSync(path, "utf8").split("\n");
    lines.splice(10, 0, "garbage");
    lines.splice(200, 0, "[]", "more garbage");
    writeFileSync(path, lines.join("\n"));
    const { diagnostics } = JSON.parse((await place.run(["check", path, "--json"])).stdout);
    expect(diagnostics).toMatchObject([
      { code: "malformed_line", line: 11 },
      { code: "not_an_object", line: 201 },
      { code: "malformed_line", line: 202 },
    ]);
  });
});

const fixtures = ["pi-v1-before-compaction.jsonl", "pi-v1-large-session.jsonl"];

describe.skipIf(sharedPath("fixtures") === undefined)("on real sessions (skipped where they aren't at hand)", () => {
  test.each(fixtures)("LS-14 reading %s works and changes nothing", async (name) => {
    const place = newPlace();
    const path = join(place.folder, name);
    copyFileSync(sharedPath("fixtures", name) as string, path);
    const digest = () => createHash("sha256").update(readFileSync(path)).digest("hex");
    const before = digest();
    const { rows, leafId } = await place.json(["tree", path, "--filter", "all"]);
    expect(digest()).toBe(before);
    const { messages, diagnostics } = await place.json(["context", path]);
    expect(digest()).toBe(before);
    const stats = await place.json(["stats", path]);
    expect(digest()).toBe(before);
    expect(rows).toHaveLength(stats.entries);
    expect(rows.length).toBeGreaterThan(1000);
    expect(messages.length).toBeGreaterThan(400);
    expect(diagnostics).toEqual([]);
    expect(await place.json(["check", path])).toMatchObject({ ok: true, entries: stats.entries });
    expect((await place.json(["show", path, "leaf"])).id).toBe(leafId);
    expect((await place.run(["export", path, "--jsonl", "--out", "copy.jsonl"])).exitCode).toBe(0);
    expect(digest()).toBe(before);
    expect(
      readdirSync(place.folder)
        .filter((file) => file !== "home")
        .sort(),
    ).toEqual(["copy.jsonl", basename(path)].sort());
    expect((await place.json(["tree", "copy.jsonl", "--filter", "all"])).rows).toEqual(rows);
    expect((await place.json(["context", "copy.jsonl"])).messages).toEqual(messages);
  });
});
