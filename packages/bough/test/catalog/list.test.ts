import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CatalogFilter } from "../../src/catalog/index.ts";
import { SessionRepo } from "../../src/session/session-repo.ts";
import { JsonlStore } from "../../src/storage/jsonl/jsonl-store.ts";
import { place, sessionText } from "../storage/jsonl/stores.ts";
import { sharedPath } from "../support/shared.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { catalogOf } from "./catalogs.ts";
import { RandomStore } from "./random-store.ts";

test.each([1, 2, 3])("pi-199 LS-08 LS-11 lists what reading all sessions lists, store %i", async (seed) => {
  const store = new RandomStore(join(temporaryFolder(), "sessions"), seed);
  for (let count = 0; count < 25; count++) store.create();
  const catalog = catalogOf(store.root);
  const repo = new SessionRepo({ store: new JsonlStore({ root: store.root, durability: "process" }) });
  for (const cwd of [undefined, "/w/p0", "/w/p1"]) {
    const filter = cwd === undefined ? {} : { cwd };
    const { sessions } = await catalog.list(filter);
    const expected = (await repo.list(filter)).map((info) => expect.objectContaining({ ...info }));
    expect(sessions).toEqual(expected);
  }
});

function familyPlace() {
  const root = join(temporaryFolder(), "sessions");
  const put = (id: string, day: number, rest: object = {}, model = "m") => {
    const timestamp = `2026-01-0${day}T00:00:00.000Z`;
    const header = {
      type: "session",
      version: 3,
      id,
      timestamp: `2026-01-0${10 - day}T00:00:00.000Z`,
      cwd: "/w/p",
      ...rest,
    };
    const message = { role: "assistant", provider: "acme", model, content: id };
    place(
      join(root, `t_${id}.jsonl`),
      `${JSON.stringify(header)}\n${JSON.stringify({ type: "message", id: "m", parentId: null, timestamp, message })}\n`,
    );
    return join(root, `t_${id}.jsonl`);
  };
  const s1 = put("s1", 1);
  put("s2", 2, { parentSession: s1 });
  put("s3", 3, { title: "Third" }, "Large");
  put("s4", 4, { parentSession: "s2" });
  put("s5", 5, { parentSession: "gone" });
  put("s6", 6, { parentSession: "s7" });
  put("s7", 7, { parentSession: "s6" });
  return { root, put };
}

function family() {
  return catalogOf(familyPlace().root);
}

async function ids(filter: CatalogFilter): Promise<string> {
  return (await family().list(filter)).sessions.map(({ id, depth }) => `${">".repeat(depth)}${id}`).join(" ");
}

test("sorts by last message, by creation, and forks below what they were forked from", async () => {
  expect(await ids({})).toBe("s7 s6 s5 s4 s3 s2 s1");
  expect(await ids({ sort: "created" })).toBe("s1 s2 s3 s4 s5 s6 s7");
  expect(await ids({ sort: "threaded" })).toBe("s7 >s6 s5 s1 >s2 >>s4 s3");
});

test("forks whose parents were written with a path through a link stand below them", async () => {
  const folder = temporaryFolder();
  const [root, link] = [join(folder, "real"), join(folder, "link")];
  place(join(root, "p/t_s1.jsonl"), sessionText("s1", "/w/p"));
  symlinkSync(root, link);
  const parentSession = join(link, "p/t_s1.jsonl");
  const header = { type: "session", version: 3, id: "s2", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" };
  place(join(root, "p/t_s2.jsonl"), `${JSON.stringify({ ...header, parentSession })}\n`);
  const { sessions } = await catalogOf(link, join(folder, "catalog.sqlite")).list({ sort: "threaded" });
  expect(sessions.map(({ id, depth }) => [id, depth])).toEqual([
    ["s1", 0],
    ["s2", 1],
  ]);
});

test("LS-03 filters before it counts off, and `all` is all", async () => {
  expect(await ids({ named: true, limit: 1 })).toBe("s3");
  expect(await ids({ since: new Date("2026-01-05T00:00:00.000Z") })).toBe("s7 s6 s5");
  expect(await ids({ model: "ACME/large" })).toBe("s3");
  expect(await ids({ cwd: "/w" })).toBe("");
  expect(await ids({ source: "pi" })).toBe("");
});

test.each(["recent", "created", "threaded"] as const)("pages of %s are the list", async (sort) => {
  const catalog = family();
  const whole = (await catalog.list({ sort })).sessions;
  const paged = [];
  for (let cursor: string | undefined; ; ) {
    const page = await catalog.list({ sort, limit: 2, ...(cursor !== undefined && { cursor }) });
    paged.push(...page.sessions);
    if (page.cursor === undefined) break;
    cursor = page.cursor;
  }
  expect(paged).toEqual(whole);
});

test.each([1, 2, 3, 4, 5])("pages of %i threaded sessions are whole though one changes meanwhile", async (limit) => {
  const { root, put } = familyPlace();
  put("s8", 8, { parentSession: "s3" });
  const catalog = catalogOf(root);
  const whole = (await catalog.list({ sort: "threaded" })).sessions.map(({ id }) => id);
  const paged: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await catalog.list({ sort: "threaded", limit, ...(cursor !== undefined && { cursor }) });
    paged.push(...page.sessions.map(({ id }) => id));
    if (page.cursor === undefined) break;
    cursor = page.cursor;
    put("s8", 9, { parentSession: "s3" });
    put("s9", 9);
    await catalog.update();
  }
  expect(paged).toEqual(whole);
});

const fixtures = sharedPath("fixtures");

test.skipIf(fixtures === undefined)(
  "older files are listed as reading them lists them (skipped where they are missing)",
  async () => {
    const root = fixtures as string;
    const repo = new SessionRepo({ store: new JsonlStore({ root, durability: "process" }) });
    const catalog = catalogOf(root, join(temporaryFolder(), "catalog.sqlite"));
    const expected = (await repo.list()).map((info) => expect.objectContaining({ ...info }));
    expect(expected.length).toBeGreaterThan(0);
    expect((await catalog.list()).sessions).toEqual(expected);
  },
);
