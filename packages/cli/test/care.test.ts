import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newPlace, reply, user } from "./support/bough.ts";

describe("care", () => {
  test("repair makes a damaged session whole and keeps the old file", async () => {
    const place = newPlace();
    const { path } = await place.create([user("hi", { id: "u1" }), reply("hello", { id: "a1" })]);
    const damaged = `${readFileSync(path, "utf8").replace('"parentId":"u1"', '"parentId":"gone"')}garbage\n`;
    writeFileSync(path, damaged);
    expect((await place.run(["check", path])).exitCode).toBe(1);
    const { status, backup, changes } = await place.json(["repair", path]);
    expect(status).toBe("repaired");
    expect(changes.length).toBeGreaterThan(0);
    expect(readFileSync(backup, "utf8")).toBe(damaged);
    expect(await place.json(["check", path])).toMatchObject({ ok: true, entries: 2 });
    expect((await place.json(["repair", path])).status).toBe("sound");
  });

  test("migrate brings an old file up to date and keeps it", async () => {
    const place = newPlace();
    const path = join(place.folder, "old.jsonl");
    const old = [
      { type: "session", id: "s", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/" },
      {
        type: "message",
        timestamp: "2025-01-01T00:00:00.000Z",
        message: { role: "user", content: "hi", timestamp: 1 },
      },
    ];
    const text = old.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(path, text);
    const before = await place.json(["tree", path]);
    expect(readFileSync(path, "utf8")).toBe(text);
    const { status, backup } = await place.json(["migrate", path]);
    expect([status, readFileSync(backup, "utf8")]).toEqual(["migrated", text]);
    expect(JSON.parse(readFileSync(path, "utf8").split("\n", 1)[0] as string).version).toBe(3);
    expect(await place.json(["tree", path])).toEqual(before);
    expect((await place.json(["migrate", path])).status).toBe("current");
  });

  test("what is deleted is in the trash, comes back, or is destroyed", async () => {
    const place = newPlace();
    const { path, id } = await place.create([user("very secret")]);
    const isKnown = () => readFileSync(join(place.home, "catalog.sqlite")).includes("very secret");
    expect(await place.json(["search", "secret"])).toHaveLength(1);
    expect(isKnown()).toBe(true);
    expect(await place.json(["delete", id])).toEqual({ id });
    expect(existsSync(path)).toBe(false);
    expect(await place.json(["list"])).toEqual([]);
    expect((await place.json(["trash"])).map((info: { id: string }) => info.id)).toEqual([id]);
    expect(await place.json(["undelete", id.slice(-8)])).toEqual({ id, path });
    expect((await place.json(["tree", id])).rows).toHaveLength(1);
    await place.json(["delete", id]);
    expect(await place.json(["trash", "--empty"])).toEqual({ destroyed: 1 });
    expect(await place.json(["trash"])).toEqual([]);
    expect(isKnown()).toBe(false);
    expect((await place.run(["undelete", id])).exitCode).toBe(1);
  });

  test("what is no session is refused and stays as it is", async () => {
    const place = newPlace();
    writeFileSync(join(place.folder, "notes.txt"), "not a session\n");
    for (const args of [["tree"], ["append"], ["repair"], ["migrate"], ["rename"]]) {
      const [command = ""] = args;
      const rest = command === "rename" ? ["x"] : [];
      const { exitCode, stderr } = await place.run([command, "notes.txt", ...rest], {
        input: '{"role":"user","content":"x"}',
      });
      expect([command, exitCode, stderr.includes("invalid_session")]).toEqual([command, 1, true]);
    }
    expect(readFileSync(join(place.folder, "notes.txt"), "utf8")).toBe("not a session\n");
  });
});
