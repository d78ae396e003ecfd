import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { Catalog, type CatalogSource, fileSource, type SessionPiece } from "../../src/catalog/index.ts";
import { schemaVersion } from "../../src/catalog/schema.ts";
import { loadSqlite } from "../../src/catalog/sqlite.ts";
import { nodeFileSystem } from "../../src/storage/files/file-system.ts";
import { user } from "../storage/jsonl/records.ts";
import { place, sessionText, snapshot } from "../storage/jsonl/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { allHits, catalogOf, namesOf } from "./catalogs.ts";

function testPlace(ids: readonly string[] = ["s1", "s2", "s3"]) {
  const root = join(temporaryFolder(), "sessions");
  const paths = ids.map((id) => place(join(root, "p", `t_${id}.jsonl`), sessionText(id, "/w/p")));
  return { root, paths, file: join(root, "../catalog.sqlite") };
}

const line = (id: string, text: string) => `${user(id, null, text).json}\n`;

async function idsListed(catalog: ReturnType<typeof catalogOf>): Promise<string[]> {
  return (await catalog.list()).sessions.map(({ id }) => id).sort();
}

test("is for its owner alone, and what lies beside it too; sessions and their folders stay as they are", async () => {
  const { root, file } = testPlace();
  const before = snapshot(root);
  const catalog = catalogOf(root);
  await catalog.update();
  for (const name of readdirSync(join(root, "..")).filter((each) => each.startsWith("catalog"))) {
    expect([name, statSync(join(root, "..", name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  expect(existsSync(file)).toBe(true);
  expect(snapshot(root)).toEqual(before);
});

test("where there are no sessions nothing is made", async () => {
  const folder = temporaryFolder();
  const catalog = catalogOf(join(folder, "none"));
  await catalog.update();
  expect(await catalog.list()).toEqual({ sessions: [], unreadable: [] });
  expect(await catalog.search("x")).toEqual({ hits: [], flags: [] });
  expect(readdirSync(folder)).toEqual([]);
});

describe("a catalog that can't be used", () => {
  const spoil: Record<string, (file: string) => void> = {
    "is no database": (file) => writeFileSync(file, "no database ".repeat(1000)),
    "is empty": (file) => writeFileSync(file, ""),
    "is a piece of one": (file) => {
      const bytes = Buffer.alloc(statSync(file).size / 2, 7);
      bytes.write("SQLite format 3\0");
      writeFileSync(file, bytes);
    },
    "is of another version": (file) => {
      const database = new (loadSqlite().DatabaseSync)(file);
      database.exec(
        `DROP TABLE session; CREATE TABLE session (other TEXT); PRAGMA user_version = ${schemaVersion + 1}`,
      );
      database.close();
    },
    "lost a table": (file) => {
      const database = new (loadSqlite().DatabaseSync)(file);
      database.exec("DROP TABLE entry");
      database.close();
    },
    "lost an index": (file) => {
      const database = new (loadSqlite().DatabaseSync)(file);
      database.exec("DROP TABLE phrases");
      database.close();
    },
    ...Object.fromEntries(
      ["detail.info", "detail.state", "entry.rest"].map((name) => [
        `holds no JSON in ${name}`,
        (file: string) => {
          const [table, column] = name.split(".");
          const database = new (loadSqlite().DatabaseSync)(file);
          database.exec(`UPDATE ${table} SET ${column} = '{"a'`);
          database.close();
        },
      ]),
    ),
  };

  test.each(Object.keys(spoil))("and %s is made anew", async (kind) => {
    const { root, paths, file } = testPlace();
    const custom = { type: "custom", id: "c", parentId: "s2-1", timestamp: "t", customType: "c", data: {} };
    appendFileSync(paths[1] as string, `${JSON.stringify(custom)}\n`);
    const before = catalogOf(root);
    await before.update();
    before.close();
    spoil[kind]?.(file);
    appendFileSync(paths[0] as string, line("more", "and more"));
    const catalog = catalogOf(root);
    expect(await idsListed(catalog)).toEqual(["s1", "s2", "s3"]);
    expect(await allHits(catalog, "s2-1")).toHaveLength(1);
    await catalog.update();
    catalog.close();
    const again = catalogOf(root);
    expect(await allHits(again, "s2-1")).toHaveLength(1);
    expect(await allHits(again, "more")).toHaveLength(1);
  });

  test("and is spoilt while it is open is made anew", async () => {
    const { root, file } = testPlace();
    const catalog = catalogOf(root);
    await catalog.update();
    writeFileSync(file, "x".repeat(100_000));
    rmSync(`${file}-wal`, { force: true });
    await catalog.update();
    expect(await idsListed(catalog)).toEqual(["s1", "s2", "s3"]);
    expect(await allHits(catalog, "s3-1")).toHaveLength(1);
  });

  test("because its folder is a file is done without", async () => {
    const { root, paths } = testPlace();
    const catalog = catalogOf(root, join(paths[0] as string, "catalog.sqlite"));
    await catalog.update();
    expect(await idsListed(catalog)).toEqual(["s1", "s2", "s3"]);
    const [hit] = await allHits(catalog, "S2-1");
    expect(hit).toMatchObject({ sessionId: "s2", entryId: "s2-1", snippet: "s2-1", branches: ["s2-1"] });
    expect(await allHits(catalog, "re:s[12]-1")).toHaveLength(2);
    appendFileSync(paths[2] as string, line("new", "something new"));
    await catalog.update();
    expect(namesOf(await allHits(catalog, "something"))).toEqual([`${paths[2]}#new`]);
  });

  test("because it is a folder is done without", async () => {
    const { root } = testPlace();
    const catalog = catalogOf(root, root);
    await catalog.update();
    expect(await allHits(catalog, "s2-1")).toHaveLength(1);
  });
});

test("LS-17 one bad line costs itself, and what comes after it is found", async () => {
  const { root, paths } = testPlace(["s1"]);
  appendFileSync(paths[0] as string, `{"type":"message","id":"bad"\n${line("a", "first")}`);
  const catalog = catalogOf(root);
  await catalog.update();
  expect(await allHits(catalog, "first")).toHaveLength(1);
  appendFileSync(paths[0] as string, line("b", "second"));
  await catalog.update();
  expect(await allHits(catalog, "second")).toHaveLength(1);
  expect((await catalog.list()).sessions[0]).toMatchObject({ entryCount: 3, damage: { malformed_line: 1 } });
});

test("LS-17 what is no session is looked at again once it changed", async () => {
  const { root, paths } = testPlace();
  writeFileSync(paths[1] as string, "not a session\n");
  const catalog = catalogOf(root);
  await catalog.update();
  const { sessions, unreadable } = await catalog.list();
  expect(sessions.map(({ id }) => id).sort()).toEqual(["s1", "s3"]);
  expect(unreadable).toMatchObject([
    { status: "unreadable", id: "s2", path: paths[1], error: { code: "invalid_session" } },
  ]);
  writeFileSync(paths[1] as string, sessionText("s2", "/w/p"));
  await catalog.update();
  expect(await idsListed(catalog)).toEqual(["s1", "s2", "s3"]);
});

test("CO-07 a damaged session leaves the sums of the others, and is named", async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `s${index}`);
  const { root, paths } = testPlace([...ids, "damaged"]);
  const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, cost: { total: 0.25 } };
  for (const path of paths.slice(0, 10)) {
    const message = { role: "assistant", provider: "p", model: "m", content: [], usage };
    appendFileSync(path, `${JSON.stringify({ type: "message", id: "a", parentId: null, timestamp: "t", message })}\n`);
  }
  writeFileSync(paths[10] as string, '{"type":"sess');
  const catalog = catalogOf(root);
  await catalog.update();
  const { sessions, unreadable } = await catalog.list();
  expect(sessions.reduce((sum, session) => sum + (session.usage.cost ?? 0), 0)).toBe(2.5);
  expect(sessions.reduce((sum, session) => sum + session.usage.total, 0)).toBe(30);
  expect(unreadable.map(({ id }) => id)).toEqual(["damaged"]);
});

test("LS-10 without usage the cost is unknown, and the session is listed", async () => {
  const catalog = catalogOf(testPlace(["s1"]).root);
  expect((await catalog.list()).sessions).toMatchObject([{ id: "s1", usage: { cost: null, total: 0 } }]);
});

test("SE-06 rows that lead out of the store are gone with the next update, wherever they came from", async () => {
  const { root, file } = testPlace();
  const outside = place(join(root, "../outside/t_x.jsonl"), sessionText("x", "/w/p"));
  symlinkSync(join(root, "../outside"), join(root, "link"));
  const catalog = catalogOf(root);
  await catalog.update();
  expect(await idsListed(catalog)).toEqual(["s1", "s2", "s3"]);
  const database = new (loadSqlite().DatabaseSync)(file);
  for (const path of ["../outside/t_x.jsonl", outside, join(root, "link/t_x.jsonl")]) {
    database
      .prepare(
        "UPDATE session SET place = ?, stamp = NULL, mark = NULL WHERE id = (SELECT min(id) FROM session WHERE id LIKE 's_' AND place NOT LIKE '%x.jsonl')",
      )
      .run(path);
  }
  database.close();
  await catalog.update();
  expect((await catalog.list()).sessions.map(({ path }) => path).sort()).toEqual(
    ["s1", "s2", "s3"].map((id) => join(root, `p/t_${id}.jsonl`)),
  );
});

test("a signal ends an update, what was done by then stays", async () => {
  const { root, paths } = testPlace(Array.from({ length: 200 }, (_, index) => `s${index}`));
  const catalog = catalogOf(root);
  const controller = new AbortController();
  const onProgress = (done: number) => {
    if (done === 150) controller.abort(new Error("enough"));
  };
  const taken = async () => (await Promise.all(paths.map((path) => catalog.look(path)))).filter(Boolean).length;
  await expect(catalog.update({ onProgress, signal: controller.signal })).rejects.toThrow("enough");
  expect(await taken()).toBe(150);
  await catalog.update();
  expect(await taken()).toBe(200);
});

test("an update lets others have their turn, which can end it", async () => {
  const { root } = testPlace();
  const files = fileSource({ name: "bough", root });
  const slow: CatalogSource = {
    ...files,
    *read(found, since) {
      const end = performance.now() + 20;
      while (performance.now() < end);
      yield* files.read(found, since) as Iterable<SessionPiece>;
    },
  };
  using catalog = Catalog.open({ sources: [slow] });
  const controller = new AbortController();
  const reason = new Error("enough");
  setImmediate(() => controller.abort(reason));
  await expect(catalog.update({ signal: controller.signal })).rejects.toBe(reason);
});

test("any text can be searched for, and spoils nothing", async () => {
  const { root, paths, file } = testPlace();
  appendFileSync(paths[0] as string, line("a", "ab\0cd 😀ef"));
  const catalog = catalogOf(root);
  await catalog.update();
  const { ino } = statSync(file);
  for (const open of [catalog, catalogOf(root, join(root, "../none/../none.sqlite"))]) {
    for (const query of ["ab\0cd", '"ab\0cd \ud83d"', "\ud83d", "\ude00ef", "re:b\0c"])
      expect(namesOf(await allHits(open, query))).toEqual([`${paths[0]}#a`]);
    for (const query of ["\0\0\0", "abc\0", '"\0', "\0\ud83dabc"]) expect(await allHits(open, query)).toEqual([]);
  }
  expect(statSync(file).ino).toBe(ino);
});

test("recoveries are not counted together", async () => {
  const { root, file } = testPlace();
  const catalog = catalogOf(root);
  for (let count = 0; count < 6; count++) {
    await catalog.update();
    const database = new (loadSqlite().DatabaseSync)(file);
    database.exec("DROP TABLE entry");
    database.close();
    await catalog.update();
    expect(await allHits(catalog, "s2-1")).toHaveLength(1);
  }
});

describe("what an update that was interrupted took in", () => {
  const interrupted = async (catalog: Catalog) => {
    const controller = new AbortController();
    const onProgress = (done: number) => {
      if (done === 100) controller.abort(new Error("enough"));
    };
    await expect(catalog.update({ onProgress, signal: controller.signal })).rejects.toThrow("enough");
  };
  const ids = Array.from({ length: 200 }, (_, index) => `s${index}`).sort();

  test("is completed by a list, of the same catalog or another", async () => {
    const { root } = testPlace(ids);
    const catalog = catalogOf(root);
    await interrupted(catalog);
    const other = catalogOf(root);
    expect(await idsListed(other)).toEqual(ids);
    expect(await idsListed(catalog)).toEqual(ids);
  });

  test("is not all that a search finds", async () => {
    const { root } = testPlace(ids);
    const catalog = catalogOf(root);
    await interrupted(catalog);
    expect(await allHits(catalog, "s150-1")).toHaveLength(1);
  });
});

test("sources that the file doesn't know yet are taken in, the others are left as they were", async () => {
  const { root, file } = testPlace();
  const catalog = catalogOf(root);
  await catalog.update();
  const second = testPlace(["other"]);
  place(join(root, "p/t_new.jsonl"), sessionText("new", "/w/p"));
  const sources = [fileSource({ name: "bough", root }), fileSource({ name: "pi", root: second.root })];
  using both = Catalog.open({ file, sources });
  expect(await allHits(both, "other-1")).toHaveLength(1);
  expect(await idsListed(both)).toEqual(["other", "s1", "s2", "s3"]);
});

describe("of what is asked at once", () => {
  test("a list and a search have all, and no file stays open behind it", async () => {
    const { root, file } = testPlace();
    const catalog = catalogOf(root);
    const [, listed, found] = await Promise.all([catalog.update(), idsListed(catalog), allHits(catalog, "s2-1")]);
    expect(listed).toEqual(["s1", "s2", "s3"]);
    expect(found).toHaveLength(1);
    catalog.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("all is done before the catalog is closed", async () => {
    const { root, file } = testPlace();
    const catalog = catalogOf(root);
    const update = catalog.update();
    catalog.close();
    await update;
    expect(existsSync(`${file}-wal`)).toBe(false);
    const search = catalog.search("re:s2.1");
    const list = catalog.list();
    catalog.close();
    expect((await search).hits).toHaveLength(1);
    expect((await list).sessions).toHaveLength(3);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("each recovers from damage", async () => {
    const { root, file } = testPlace();
    const catalog = catalogOf(root);
    await catalog.update();
    const database = new (loadSqlite().DatabaseSync)(file);
    database.exec("DROP TABLE entry");
    database.close();
    const [, listed, found] = await Promise.all([catalog.update(), idsListed(catalog), allHits(catalog, "s2-1")]);
    expect(listed).toEqual(["s1", "s2", "s3"]);
    expect(found).toHaveLength(1);
  });
});

test("nothing in the file says what a session said that is gone", async () => {
  const { root, paths, file } = testPlace();
  const isKept = (text: string) =>
    readdirSync(join(root, "..")).some((name) => {
      return name.startsWith("catalog") && readFileSync(join(file, "..", name)).includes(text);
    });
  appendFileSync(paths[0] as string, line("a", `a secret${" and so on".repeat(1000)}`));
  appendFileSync(paths[1] as string, line("b", "no secret"));
  const catalog = catalogOf(root);
  await catalog.update();
  appendFileSync(paths[0] as string, line("c", "and more"));
  await catalog.update();
  expect(isKept("a secret")).toBe(true);
  rmSync(paths[0] as string);
  await catalog.update();
  expect(isKept("no secret")).toBe(true);
  expect(isKept("a secret")).toBe(false);
});

test("what is gone is forgotten beside a folder that can't be read, and not what may be in it", async () => {
  const root = join(temporaryFolder(), "sessions");
  const [hidden, gone] = ["a", "ab"].map((folder) =>
    place(join(root, folder, `t_in-${folder}.jsonl`), sessionText(`in-${folder}`, "/w")),
  );
  let isHidden = false;
  const readdirSync = ((path: string, options: object) => {
    if (isHidden && path === dirname(hidden as string)) throw Object.assign(new Error("no"), { code: "EACCES" });
    return nodeFileSystem.readdirSync(path, options as { withFileTypes: true });
  }) as typeof nodeFileSystem.readdirSync;
  const source = fileSource({ name: "bough", root, fileSystem: { ...nodeFileSystem, readdirSync } });
  using catalog = Catalog.open({ sources: [source] });
  await catalog.update();
  rmSync(gone as string);
  isHidden = true;
  await catalog.update();
  expect(await idsListed(catalog)).toEqual(["in-a"]);
});

test("an update that forgets many sessions lets others have their turn, which can end it", async () => {
  const { root, paths } = testPlace(Array.from({ length: 300 }, (_, index) => `s${index}`));
  const catalog = catalogOf(root);
  await catalog.update();
  for (const path of paths) rmSync(path);
  const controller = new AbortController();
  const reason = new Error("enough");
  const update = catalog.update({ signal: controller.signal });
  setImmediate(() => controller.abort(reason));
  await expect(update).rejects.toBe(reason);
  await catalog.update();
  expect(await idsListed(catalog)).toEqual([]);
});
