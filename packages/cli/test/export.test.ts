import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newPlace, reply, user } from "./support/bough.ts";

const talk = [
  user("Look:\n```js\nleft open"),
  reply([
    { type: "text", text: "I will." },
    { type: "toolCall", id: "k1", name: "bash", arguments: { command: "cat `x`" } },
    { type: "toolCall", id: "k2", name: "read", arguments: { path: "y" } },
  ]),
  { role: "toolResult", toolCallId: "k1", toolName: "bash", content: "a\n````\nb", isError: true },
  { type: "custom_message", customType: "note", content: "not for people", display: false },
  { type: "custom_message", customType: "note", content: "for people", display: true },
  { type: "branch_summary", fromId: "root", summary: "tried before" },
];

describe("export", () => {
  test("SE-02 the default name is plain, a taken one gets a number, and a chosen one is not overwritten", async () => {
    const place = newPlace();
    const { path, id } = await place.create([user("hi"), { type: "session_info", name: "../../pwned\u202egpj.html" }]);
    const name = `pwned-gpj-html-${id.slice(-8)}`;
    expect((await place.run(["export", path, "--markdown"])).stdout).toBe(`${join(place.folder, `${name}.md`)}\n`);
    expect((await place.run(["export", path, "--markdown"])).stdout).toBe(`${join(place.folder, `${name}-2.md`)}\n`);
    expect((await place.run(["export", path, "--jsonl", "--out", "x"])).exitCode).toBe(0);
    const refused = await place.run(["export", path, "--julia", "--out", "x"]);
    expect([refused.exitCode, refused.stderr.includes("already_exists")]).toEqual([1, true]);
    expect((await place.run(["export", path, "--julia", "--out", "x", "--force"])).exitCode).toBe(0);
    expect(readFileSync(join(place.folder, "x"), "utf8")).toContain("created_at");
    expect(readdirSync(place.folder).sort()).toEqual(["home", `${name}-2.md`, `${name}.md`, "x"].sort());
    expect(statSync(join(place.folder, "x")).mode & 0o777).toBe(0o600);
  });

  test("Markdown has what was said, closes open fences, and folds tools", async () => {
    const place = newPlace();
    const { path } = await place.create(talk);
    const { stdout } = await place.run(["export", path, "--markdown", "--out", "-"]);
    expect(stdout).toContain("## User\n\nLook:\n```js\nleft open\n```\n");
    expect(stdout).toContain("## Assistant\n\nI will.\n");
    expect(stdout).toContain("`` [bash: cat `x`] `` failed\n\n`````\na\n````\nb\n`````\n");
    expect(stdout).toContain("`[read: y]` has no result");
    expect(stdout).toContain("## note\n\nfor people");
    expect(stdout).not.toContain("not for people");
    expect(stdout).toContain("## Another branch, in summary\n\ntried before");
  });

  test("JSONL has every entry of every branch and reads back the same", async () => {
    const place = newPlace();
    const { path } = await place.create([...talk, { type: "leaf", targetId: null }, user("again")]);
    await place.run(["export", path, "--jsonl", "--out", "copy.jsonl"]);
    const all = ["--filter", "all"];
    expect(await place.json(["tree", "copy.jsonl", ...all])).toEqual(await place.json(["tree", path, ...all]));
  });

  test("numbers that JavaScript can't hold are appended, shown, forked and exported as they were given", async () => {
    const place = newPlace();
    const { path } = await place.create([user("hi")]);
    const data = '{"n":12345678901234567890,"list":[1e999,0.12345678901234567890]}';
    const input = `{"type":"custom","id":"c1","customType":"x","data":${data}}\n`;
    const appended = await place.run(["append", path, "--json"], { input });
    expect(appended.stdout).toContain(`"data":${data}}`);
    expect((await place.run(["show", path, "c1", "--json"])).stdout).toContain(`"data":${data}}`);
    expect((await place.run(["show", path, "c1"])).stdout).toContain(`"data":${data}}`);
    expect(readFileSync(path, "utf8")).toContain(`"data":${data}}`);
    for (const form of ["--jsonl", "--julia"]) {
      expect((await place.run(["export", path, form, "--out", "-"])).stdout).toContain(`"data":${data}}`);
    }
    const fork = (await place.json(["fork", path])).path;
    expect(readFileSync(fork, "utf8")).toContain(`"data":${data}}`);
  });

  test("exactly one form is asked for", async () => {
    const place = newPlace();
    const { path } = await place.create(talk);
    expect((await place.run(["export", path])).exitCode).toBe(2);
    expect((await place.run(["export", path, "--jsonl", "--markdown"])).exitCode).toBe(2);
    expect((await place.run(["export", path, "--jsonl", "--out", "no/where"])).exitCode).toBe(1);
  });
});
