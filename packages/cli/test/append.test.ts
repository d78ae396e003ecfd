import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { linesOf, newPlace, reply, user } from "./support/bough.ts";

describe("append", () => {
  test("creates a session, says its path, and prints an id a line", async () => {
    const place = newPlace();
    const { stdout, stderr, exitCode } = await place.run(["append", "--new"], {
      input: linesOf([user("hi", { id: "u1" }), reply("hello", { id: "a1" })]),
    });
    expect(exitCode).toBe(0);
    expect(stdout).toBe("u1\na1\n");
    const [header, ...entries] = readFileSync(stderr.trim(), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(header).toMatchObject({ type: "session", version: 3, cwd: place.folder });
    expect(entries.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["u1", null],
      ["a1", "u1"],
    ]);
  });

  test("takes messages by role and entries by type, and prints the stored entries as JSON", async () => {
    const place = newPlace();
    const { stdout } = await place.run(["append", "--new", "--cwd", "/elsewhere", "--json"], {
      input: linesOf([
        user("hi", { id: "u1" }),
        { type: "label", targetId: "u1", label: "start" },
        { type: "model_change", provider: "p", modelId: "m", id: "m1" },
        { role: "toolResult", toolCallId: "k", toolName: "bash", content: "ok", parentId: "u1", id: "r1" },
      ]),
    });
    const [created, ...entries] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(Object.keys(created)).toEqual(["id", "path"]);
    expect(entries.map(({ type, parentId }) => [type, parentId])).toEqual([
      ["message", null],
      ["label", "u1"],
      ["model_change", "u1"],
      ["message", "u1"],
    ]);
    expect(entries[0].message.content).toBe("hi");
    const { leafId } = await place.json(["tree", created.path]);
    expect(leafId).toBe("r1");
  });

  test("the same id with the same content is stored once, with other content it is refused", async () => {
    const place = newPlace();
    const input = linesOf([user("hi", { id: "u1" }), reply("hello", { id: "a1" })]);
    const { path } = await place.create([user("hi", { id: "u1" }), reply("hello", { id: "a1" })]);
    const before = readFileSync(path);
    const again = await place.run(["append", path], { input });
    expect([again.exitCode, again.stdout]).toEqual([0, "u1\na1\n"]);
    expect(readFileSync(path).equals(before)).toBe(true);
    const other = await place.run(["append", path], { input: linesOf([user("other", { id: "u1" })]) });
    expect([other.exitCode, other.stdout]).toEqual([1, ""]);
    expect(other.stderr).toContain("already_exists");
  });

  test("the first bad line ends it with its number; what stood before it is stored", async () => {
    const place = newPlace();
    const { path } = await place.create([]);
    for (const [bad, code] of [
      ["[3]", "invalid_entry"],
      ["{", "invalid_entry"],
      ['{"id":"x"}', "invalid_entry"],
      ['{"role":"user","content":"x","parentId":"nowhere"}', "unknown_parent"],
    ] as const) {
      const good = JSON.stringify(user(`before ${bad}`));
      const { stdout, stderr, exitCode } = await place.run(["append", path], { input: `${good}\n\n${bad}\n${good}\n` });
      expect(exitCode).toBe(1);
      expect(stdout.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toContain(code);
      expect(stderr).toContain("line 3");
    }
    expect((await place.json(["tree", path])).rows).toHaveLength(4);
  });

  test("a line that never ended counts, and U+2028 ends none", async () => {
    const place = newPlace();
    const { path } = await place.create([]);
    const { stdout } = await place.run(["append", path], { input: '{"role":"user","id":"u1","content":"a\u2028b"}' });
    expect(stdout).toBe("u1\n");
    expect((await place.json(["show", path, "u1"])).message.content).toBe("a\u2028b");
  });

  test("usage mistakes are told before anything is created", async () => {
    const place = newPlace();
    expect((await place.run(["append", "--new", "x"])).exitCode).toBe(2);
    expect((await place.run(["append", "x", "--cwd", "y"])).exitCode).toBe(2);
    expect(await place.json(["list", "--all"])).toEqual([]);
  });
});
