import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { linesOf, newPlace, type Place, reply, user } from "./support/bough.ts";

const session = (id: string, cwd: string, parentSession?: string) => ({
  ...{ type: "session", version: 3, id, timestamp: "2026-01-01T00:00:00.000Z", cwd },
  ...(parentSession !== undefined && { parentSession }),
});

function message(id: string, parentId: string | null, content: object, day = 1): object {
  return { type: "message", id, parentId, timestamp: `2026-01-0${day}T00:00:00.000Z`, message: content };
}

function put(place: Place, file: string, ...lines: object[]): string {
  const path = join(place.folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, linesOf(lines));
  return path;
}

describe("search", () => {
  test("names session, file and entry, and shows the place, without noise on standard error", async () => {
    const place = newPlace();
    const { id, path, ids } = await place.create([user("where is the Flux capacitor?"), reply("in the `garage`")]);
    await place.create([user("nothing of the kind")]);
    expect(await place.json(["search", "flux CAPACITOR"])).toEqual([
      { sessionId: id, path, entryId: ids[0], snippet: "where is the Flux capacitor?" },
    ]);
    const { stdout, stderr } = await place.run(["search", "garage role:assistant"]);
    expect({ stdout, stderr }).toEqual({
      stdout: `${id.slice(-8)}  ${ids[1]?.slice(-8)}  in the \`garage\`\n`,
      stderr: "",
    });
    expect(statSync(join(place.home, "catalog.sqlite")).mode & 0o777).toBe(0o600);
  });

  test("looks in this project unless told otherwise, and says how to when nothing is found", async () => {
    const place = newPlace();
    await place.create([user("a needle")]);
    put(
      place,
      "home/sessions/other/t_o1.jsonl",
      session("o1", "/w/other"),
      message("m1", null, { role: "user", content: "a needle" }),
    );
    expect(await place.json(["search", "needle"])).toHaveLength(1);
    expect(await place.json(["search", "needle", "--all"])).toHaveLength(2);
    expect(await place.json(["search", "needle in:other", "--all"])).toHaveLength(1);
    expect(await place.json(["search", "needle", "--all", "--limit", "1"])).toHaveLength(1);
    const nothing = await place.run(["search", "haystack"]);
    expect(nothing).toMatchObject({ exitCode: 0, stdout: "" });
    expect(nothing.stderr).toContain("--all");
  });

  test("stats come from the catalog where the file is as it was, and say the same", async () => {
    const place = newPlace();
    const { path } = await place.create([user("a"), reply("b"), user("c")]);
    const counted = await place.json(["stats", path]);
    await place.json(["list"]);
    expect(await place.json(["stats", path])).toEqual(counted);
    const text = (await place.run(["stats", path])).stdout;
    writeFileSync(path, readFileSync(path, "utf8").replace(/\n[^\n]*\n$/, "\n"));
    expect(await place.json(["stats", path])).toMatchObject({ entries: counted.entries - 1 });
    expect((await place.run(["stats", path])).stdout).not.toBe(text);
  });

  test("finds what pi and oh-my-pi keep, and leaves their files as they are", async () => {
    const place = newPlace();
    const pi = put(
      place,
      ".pi/agent/sessions/--w--/t_p1.jsonl",
      session("p1", "/w"),
      message("m1", null, user("needle of pi")),
    );
    const title = { type: "title", v: 1, title: "Sewing", updatedAt: "2026-01-01T00:00:00.000Z", pad: "" };
    put(
      place,
      ".omp/agent/sessions/-w/t_q1.jsonl",
      title,
      session("q1", "/w"),
      message("m1", null, user("needle of omp")),
    );
    const before = readFileSync(pi);
    const sessionsOf = async (source: string) =>
      (await place.json(["search", "needle", "--all", "--source", source]))
        .map((hit: { sessionId: string }) => hit.sessionId)
        .sort();
    expect(await sessionsOf("pi")).toEqual(["p1"]);
    expect(await sessionsOf("omp")).toEqual(["q1"]);
    expect(await sessionsOf("all")).toEqual(["p1", "q1"]);
    expect(await sessionsOf("bough")).toEqual([]);
    expect((await place.json(["list", "--all", "--source", "all"])).map(({ id }: { id: string }) => id).sort()).toEqual(
      ["p1", "q1"],
    );
    expect(readFileSync(pi)).toEqual(before);
  });

  test("a query that begins with a dash stands behind two, and whoever leaves them out is told", async () => {
    const place = newPlace();
    const { ids } = await place.create([user("a needle"), reply("a needle")]);
    const { exitCode, stderr } = await place.run(["search", "-role:user needle"]);
    expect([exitCode, stderr.includes(" -- ")]).toEqual([2, true]);
    const hits = JSON.parse((await place.run(["search", "--json", "--", "-role:user needle"])).stdout);
    expect(hits.map(({ entryId }: { entryId: string }) => entryId)).toEqual([ids[1]]);
  });

  test("type and role are lines in front of the text, and patterns see them", async () => {
    const place = newPlace();
    const { ids } = await place.create([user("first\nTODO later")]);
    const found = async (query: string) =>
      (await place.json(["search", query])).map(({ entryId }: { entryId: string }) => entryId);
    expect(await found("message user")).toEqual([ids[0]]);
    expect(await found("re:^message\\nuser\\nfirst")).toEqual([ids[0]]);
    expect(await found("re:^TODO")).toEqual([]);
    expect(await found("re:(?m:^TODO)")).toEqual([ids[0]]);
  });

  test("what is no pattern was typed wrongly", async () => {
    const place = newPlace();
    await place.create([user("a(b")]);
    expect((await place.run(["search", "re:a("])).exitCode).toBe(2);
    expect(await place.json(["search", "re:A\\(b"])).toHaveLength(1);
  });

  test("a tree opens where a hit is, whatever the filter", async () => {
    const place = newPlace();
    const { path, ids } = await place.create([
      user("look"),
      reply([{ type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } }]),
      { role: "toolResult", toolCallId: "c1", toolName: "bash", content: [{ type: "text", text: "needle.txt" }] },
      reply("there"),
    ]);
    const [hit] = await place.json(["search", "needle.txt"]);
    expect(hit.entryId).toBe(ids[2]);
    const { leafId, rows } = await place.json(["tree", path, "--at", hit.entryId.slice(-8), "--filter", "user-only"]);
    expect(leafId).toBe(hit.entryId);
    expect(rows.map((row: { id: string }) => row.id)).toEqual([ids[0], ids[2]]);
  });

  test("a tree shows every entry that search finds, also what is damaged and marks that lead nowhere", async () => {
    const place = newPlace();
    const timestamp = "2026-01-01T00:00:00.000Z";
    const path = put(
      place,
      "home/sessions/p/t_s1.jsonl",
      session("s1", "/w"),
      message("m1", null, user("needle")),
      { type: "damaged", id: "d1", parentId: "m1", timestamp, originalType: "needle" },
      { type: "label", id: "l1", parentId: "gone", targetId: "m1", timestamp, label: "needle" },
      { type: "label", id: "l2", parentId: "m1", targetId: "m2", timestamp, label: "needle" },
      message("m2", "m1", user("needle")),
    );
    const hits = await place.json(["search", "needle", "--all"]);
    const found = hits.map(({ entryId }: { entryId: string }) => entryId).sort();
    expect(found).toEqual(["d1", "l1", "l2", "m1", "m2"]);
    const leaves: (string | null)[] = [];
    for (const id of found) {
      const { leafId, rows } = await place.json(["tree", path, "--at", id, "--filter", "user-only"]);
      leaves.push(leafId);
      expect(rows.map((row: { id: string }) => row.id)).toContain(id);
      const { stdout } = await place.run(["tree", path, "--at", id]);
      expect(stdout).toMatch(new RegExp(`^${id} .*${leafId === id ? "◉" : "◆"}`, "m"));
    }
    expect(leaves).toEqual(["m2", "m2", "m1", "m1", "m2"]);
    for (const id of ["d1", "l1"]) {
      const { exitCode, stderr } = await place.run(["goto", path, id]);
      expect([exitCode, stderr.includes("not_found")]).toEqual([1, true]);
    }
  });
});

describe("what can't be read", () => {
  const asNobody = { uid: 65_534, gid: 65_534 };
  const mayBecome = process.getuid?.() === 0;

  test("is told with its reason, by lists and searches", async () => {
    const place = newPlace();
    const { path } = await place.create([user("a needle")]);
    const other = join(dirname(path), "t_other.jsonl");
    writeFileSync(other, "no session\n");
    for (const command of [["list"], ["search", "needle"], ["search", "haystack"], ["list", "--json"]]) {
      const { stderr } = await place.run(command);
      expect([command, stderr.includes(other), stderr.includes("invalid_session")]).toEqual([command, true, true]);
    }
    const elsewhere = await place.run(["list", "--cwd", "/elsewhere"]);
    expect([elsewhere.stderr.includes(other), elsewhere.stderr.includes("1 place")]).toEqual([false, true]);
  });

  test.skipIf(process.getuid?.() === undefined)(
    "a folder without rights is not passed over (by another user where this one may read all)",
    async () => {
      const place = newPlace();
      const { path } = await place.create([user("a needle")]);
      const folder = dirname(path);
      const options = mayBecome ? { identity: asNobody } : {};
      for (const owned of mayBecome ? [place.folder, place.home, dirname(folder), folder, path] : []) {
        chownSync(owned, asNobody.uid, asNobody.gid);
      }
      chmodSync(folder, 0);
      onTestFinished(() => chmodSync(folder, 0o700));
      for (const command of [["list"], ["search", "needle"]]) {
        const { stderr } = await place.run(command, options);
        expect([command, stderr.includes("can't be read")]).toEqual([command, true]);
      }
      for (const command of [["list"], ["list", "--all"]]) {
        const { stderr } = await place.run(command, options);
        expect([command, stderr.includes(folder), stderr.includes("storage_denied")]).toEqual([command, true, true]);
      }
    },
  );
});

describe("list", () => {
  const listed = async (place: Place, ...options: string[]) =>
    (await place.json(["list", "--all", ...options])).map(({ id }: { id: string }) => id);

  function family(): Place {
    const place = newPlace();
    const model = (name: string) => ({
      role: "assistant",
      provider: "acme",
      model: name,
      content: [{ type: "text", text: "x" }],
    });
    put(place, "home/sessions/p/t_s1.jsonl", session("s1", "/w"), message("m1", null, model("Large-2"), 1));
    put(place, "home/sessions/p/t_s2.jsonl", session("s2", "/w", "s1"), message("m1", null, model("small"), 5));
    put(place, "home/sessions/p/t_s3.jsonl", session("s3", "/w"), message("m1", null, model("small"), 3));
    return place;
  }

  test("a session whose working directory is no whole path belongs to no project", async () => {
    const place = newPlace();
    for (const [id, cwd] of Object.entries({ s1: "", s2: ".", s3: "home" })) {
      put(place, `home/sessions/p/t_${id}.jsonl`, session(id, cwd), message("m1", null, user("needle")));
    }
    expect(await place.json(["list"])).toEqual([]);
    expect(await place.json(["list", "--cwd", "home"])).toEqual([]);
    expect(await place.json(["search", "needle"])).toEqual([]);
    const { exitCode, stderr } = await place.run(["append", "@"], { input: linesOf([user("x")]) });
    expect([exitCode, stderr.includes("not_found")]).toEqual([1, true]);
    expect(await listed(place)).toHaveLength(3);
  });

  test("filters by time and model", async () => {
    const place = family();
    expect(await listed(place)).toEqual(["s2", "s3", "s1"]);
    expect(await listed(place, "--since", "2026-01-03")).toEqual(["s2", "s3"]);
    expect(await listed(place, "--since", "3d")).toEqual([]);
    put(place, "home/sessions/p/t_s4.jsonl", session("s4", "/w"));
    expect(await listed(place, "--since", "2026-01-01 00:00Z")).toContain("s4");
    expect(await listed(place, "--since", "2026-01-02")).not.toContain("s4");
    expect(await listed(place, "--model", "acme/large")).toEqual(["s1"]);
    expect(await listed(place, "--model", "SMALL", "--limit", "1")).toEqual(["s2"]);
    expect((await place.run(["list", "--since", "yesterdayish"])).exitCode).toBe(2);
  });

  test("sorts forks below what they were forked from", async () => {
    const place = family();
    expect(await listed(place, "--sort", "threaded")).toEqual(["s1", "s2", "s3"]);
    const { stdout } = await place.run(["list", "--cwd", "/w", "--sort", "threaded"]);
    expect(stdout.split("\n")[1]).toMatch(/\d {4}⑂ x$/);
  });
});
