import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { linesOf, newPlace, reply, user } from "./support/bough.ts";

const talk = [
  user("one", { id: "u1" }),
  reply("two", { id: "a1" }),
  user("three", { id: "u2" }),
  reply("four", { id: "a2" }),
];

describe("continuing", () => {
  test("goto moves the leaf, and the next entry starts a branch there", async () => {
    const place = newPlace();
    const { path, id } = await place.create(talk);
    expect(await place.json(["goto", path, "a1"])).toEqual({ id, leafId: "a1" });
    await place.run(["append", path], { input: linesOf([user("five", { id: "u3" })]) });
    const { leafId, rows } = await place.json(["tree", path]);
    expect(leafId).toBe("u3");
    expect(
      rows.filter((row: { parentId: string }) => row.parentId === "a1").map((row: { id: string }) => row.id),
    ).toEqual(["u3", "u2"]);
    const written = readFileSync(path, "utf8");
    await place.json(["goto", path, "leaf"]);
    expect(readFileSync(path, "utf8")).toBe(written);
  });

  test("label, rename and their clearing leave the leaf alone", async () => {
    const place = newPlace();
    const { path, id } = await place.create(talk);
    expect(await place.json(["label", path, "u1", " start "])).toMatchObject({ targetId: "u1", label: "start" });
    expect(await place.json(["rename", path, "A name"])).toEqual({ id, name: "A name" });
    expect((await place.json(["list"]))[0].name).toBe("A name");
    const { leafId, rows } = await place.json(["tree", path]);
    expect([leafId, rows[0].label]).toEqual(["a2", "start"]);
    expect(await place.json(["label", path, "@start"])).not.toHaveProperty("label");
    expect(await place.json(["rename", path, ""])).toEqual({ id });
    expect((await place.run(["label", path, "nothing", "x"])).exitCode).toBe(1);
  });

  test("pi-173 pi-174 fork ends at an entry, or before a message of the user", async () => {
    const place = newPlace();
    const { path, id } = await place.create(talk);
    const source = readFileSync(path);
    const at = await place.json(["fork", path, "a1"]);
    expect(at.leafId).toBe("a1");
    expect((await place.json(["tree", at.path])).rows.map((row: { id: string }) => row.id)).toEqual(["u1", "a1"]);
    expect((await place.json(["fork", path, "u2", "--before"])).leafId).toBe("a1");
    expect((await place.json(["fork", path])).leafId).toBe("a2");
    const refused = await place.run(["fork", path, "a1", "--before"]);
    expect([refused.exitCode, refused.stderr.includes("invalid_fork_target")]).toEqual([1, true]);
    expect(readFileSync(path).equals(source)).toBe(true);
    const forks = (await place.json(["list"])).filter((info: { id: string }) => info.id !== id);
    expect(forks.map((info: { parentSession: string }) => info.parentSession)).toEqual([path, path, path]);
  });

  test("watch prints what another process appends, and ends with 130 on Ctrl-C", async () => {
    const place = newPlace();
    const { path } = await place.create(talk);
    const program = resolve(import.meta.dirname, "../src/main.ts");
    const child = spawn(process.execPath, ["--conditions=bough-source", program, "watch", path, "--json"], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, BOUGH_HOME: place.home },
    });
    const ended = new Promise<number | null>((done) => child.once("close", done));
    let appending: Promise<unknown> | undefined;
    let printed = "";
    for (let tries = 0; !printed.includes("\n") && tries < 50; tries++) {
      appending = place.run(["append", path], { input: linesOf([user(`news ${tries}`)]) });
      await appending;
      printed += child.stdout.read()?.toString() ?? "";
    }
    child.kill("SIGINT");
    child.stdout.resume();
    expect(JSON.parse(printed.split("\n", 1)[0] as string).message.content).toContain("news");
    expect(await ended).toBe(130);
  });
});
