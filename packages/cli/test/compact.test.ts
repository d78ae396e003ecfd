import { describe, expect, test } from "vitest";
import { startProvider } from "../../harness/test/support/provider-server.ts";
import { newPlace, reply, user } from "./support/bough.ts";

const long = "Build the parser, and never guess. ".repeat(200);
const talk = [
  user(long, { id: "u1" }),
  reply("The parser is built.", { id: "a1" }),
  user("three", { id: "u2" }),
  reply("four", { id: "a2" }),
];

describe("compacting", () => {
  test("compact prints what it gained, and the model is told the summary and what was kept", async () => {
    const place = newPlace();
    const { path } = await place.create(talk);
    const { stdout, exitCode } = await place.run(["compact", path, "--keep", "2"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/1,75\d tokens before, \d+ after; 2 entries summarised, 2 kept/);
    const { messages } = await place.json(["context", path]);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(["compactionSummary", "user", "assistant"]);
    expect(messages[0].summary).toContain('First request: "Build the parser');
  });

  test("with --json it is the stored entry", async () => {
    const place = newPlace();
    const { path } = await place.create(talk);
    const entry = await place.json(["compact", path, "--keep", "2", "--instructions", "the parser"]);
    expect(entry).toMatchObject({ type: "compaction", parentId: "a2", firstKeptEntryId: "u2" });
    expect(await place.json(["show", path, "leaf"])).toEqual(entry);
  });

  test("what a compaction dropped is listed by show and drawn by tree, and goto above it undoes it", async () => {
    const place = newPlace();
    const { path } = await place.create(talk);
    const before = (await place.json(["context", path])).messages;
    await place.run(["compact", path, "--keep", "2"]);
    const dropped = await place.json(["show", path, "leaf", "--dropped"]);
    expect(dropped.map(({ id }: { id: string }) => id)).toEqual(["u1", "a1"]);
    expect((await place.run(["show", path, "leaf", "--dropped"])).stdout).toMatch(
      /^u1 +Build .*\na1 +The parser is built\.\n$/,
    );
    const { rows } = await place.json(["tree", path, "--dropped", "leaf"]);
    expect(rows.map(({ id }: { id: string }) => id)).toEqual(["u1", "a1"]);
    expect((await place.run(["show", path, "u1", "--dropped"])).exitCode).toBe(2);
    await place.run(["goto", path, "a2"]);
    expect((await place.json(["context", path])).messages).toEqual(before);
  });

  test("where there is nothing to gain it says so and ends with 1", async () => {
    const place = newPlace();
    const { path } = await place.create(talk);
    for (const args of [[], ["--keep", "100000"]]) {
      const { exitCode, stderr, stdout } = await place.run(["compact", path, ...args]);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("nothing_to_compact");
    }
    const short = await place.create([user("hi", { id: "u1" }), reply("ho", { id: "a1" })]);
    expect((await place.run(["compact", short.path, "--keep", "1"])).stderr).toContain("compaction: ");
    expect((await place.run(["compact", short.path, "--keep", "none"])).exitCode).toBe(2);
  });

  test("a model writes the summary where one is named, and is not asked where one isn't", async () => {
    const place = newPlace();
    const server = await startProvider("openai");
    const at = ["--base-url", server.model.baseUrl, "--model", "local-one"];
    const { path } = await place.create(talk);
    server.script(
      { kind: "refuse", status: 400, message: "no such parameter" },
      { kind: "reply", text: "## Goal\nA parser.", usage: { input: 70, output: 8 } },
    );
    const failed = await place.run(["compact", path, "--keep", "2", ...at]);
    expect([failed.exitCode, failed.stdout]).toEqual([1, ""]);
    expect(failed.stderr).toContain("bough: compaction:");
    const entry = await place.json(["compact", path, "--keep", "2", ...at]);
    expect(entry).toMatchObject({ type: "compaction", usage: { input: 70, output: 8 } });
    expect(entry.summary).toContain("A parser.");
    expect(server.requests).toMatchObject([{ model: "local-one" }, { model: "local-one" }]);
    expect(server.requests[1]).not.toHaveProperty("tools");
  });
});
