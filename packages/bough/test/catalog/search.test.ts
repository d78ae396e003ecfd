import { appendFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SearchResult } from "../../src/catalog/index.ts";
import { matcherOf } from "../../src/outline/search.ts";
import { place, sessionText } from "../storage/jsonl/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { allHits, catalogOf, entriesOf, indexedCatalog, namesOf, searchable } from "./catalogs.ts";
import { RandomStore } from "./random-store.ts";

const seeds = Array.from({ length: process.env.BOUGH_CAMPAIGN ? 200 : 4 }, (_, index) => index + 1);

const line = (id: string, parentId: string | null, content: string) =>
  `${JSON.stringify({ type: "message", id, parentId, timestamp: "t", message: { role: "user", content } })}\n`;

describe.each(seeds)("store %i", (seed) => {
  test.each(Object.entries(searchable))(
    "LS-18 pi-193 %s finds what a scan of all texts finds, in composed form and lower case",
    async (_, open) => {
      const store = new RandomStore(join(temporaryFolder(), "sessions"), seed);
      for (let count = 0; count < 12; count++) store.create(20);
      const catalog = await open(store.root);
      for (const change of [0, 1, 2]) {
        for (let count = 0; count < change * 8; count++) store.change();
        await catalog.update();
        const entries = entriesOf(store.files);
        for (let count = 0; count < 25; count++) {
          const query = store.query().replace(/^-/, "").replaceAll('"', "");
          if (query.trim() === "" || query.startsWith("-")) continue;
          const matches = matcherOf(query);
          const expected = entries.filter(({ text }) => matches(text)).map(({ name }) => name);
          expect(namesOf(await allHits(catalog, query, { limit: 7 })), `seed ${seed}: ${query}`).toEqual(
            expected.sort(),
          );
        }
        for (let count = 0; count < 15; count++) {
          const phrase = store.phrase(entries.map(({ text }) => text));
          const words = phrase.normalize("NFC").toLowerCase().split(/\s+/);
          const pattern = new RegExp(words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("\\s+"), "");
          const fits = (text: string) => pattern.test(text.normalize("NFC").toLowerCase());
          const expected = entries.filter(({ text }) => fits(text)).map(({ name }) => name);
          expect(namesOf(await allHits(catalog, `"${phrase}"`)), `seed ${seed}: "${phrase}"`).toEqual(expected.sort());
        }
      }
    },
  );
});

test.each(Object.entries(searchable))(
  "%s what can't be read ends no branch, and the last of an id is the one found",
  async (_, open) => {
    const root = join(temporaryFolder(), "sessions");
    const damaged = line("u3", "u1", "cut off").replace("cut", '"');
    const lines = [
      line("u1", null, "literally first"),
      damaged,
      line("u2", "u1", "literally other"),
      line("u2", "u1", "x"),
    ];
    place(join(root, "p/t_s1.jsonl"), sessionText("s1", "/w/p") + lines.join(""));
    const catalog = await open(root);
    const hits = await allHits(catalog, "literally");
    expect(hits.map(({ entryId, branches }) => ({ entryId, branches }))).toEqual([{ entryId: "u1", branches: ["u2"] }]);
  },
);

test.each(Object.entries(searchable))("%s a session is found behind a header that is none", async (_, open) => {
  const root = join(temporaryFolder(), "sessions");
  const spoilt = '{"type":"session","version":3,"id":\n';
  place(join(root, "p/t_s1.jsonl"), spoilt + sessionText("s1", "/w/p") + line("u1", null, "literally"));
  const catalog = await open(root);
  expect((await allHits(catalog, "literally")).map(({ sessionId }) => sessionId)).toEqual(["s1"]);
});

test.each(Object.entries(searchable))(
  "%s of a line that is very long what stands at the beginning is found",
  async (_, open) => {
    const root = join(temporaryFolder(), "sessions");
    const part = (text: string) => `{"type":"text","text":"${text}"}`;
    const parts = [part("first"), ...Array.from({ length: 400_000 }, () => part("and so on")), part("last")];
    const reply = { role: "assistant", provider: "p", model: "m", stopReason: "stop", usage: { input: 7, output: 5 } };
    const long = line("u1", null, "").replace(
      /"message":.*/,
      `"message":${JSON.stringify(reply).replace("{", `{"content":[${parts}],`)}}`,
    );
    place(join(root, "p/t_s1.jsonl"), sessionText("s1", "/w/p") + long + line("u2", "u1", "behind"));
    const catalog = await open(root);
    const found = async (query: string) => (await allHits(catalog, query)).map(({ entryId }) => entryId);
    expect(await found("first")).toEqual(["u1"]);
    expect(await found("last")).toEqual([]);
    expect(await found("behind")).toEqual(["u2"]);
    const { sessions } = await catalog.list();
    expect(sessions).toMatchObject([{ entryCount: 3, usage: { input: 7, output: 5 } }]);
  },
);

describe("as long as the index lacks something", () => {
  const store = () => {
    const root = join(temporaryFolder(), "sessions");
    const lines = Array.from({ length: 6 }, (_, at) => line(`u${at}`, at === 0 ? null : `u${at - 1}`, `said ${at}`));
    const paths = ["s1", "s2"].map((id) =>
      place(join(root, `p/t_${id}.jsonl`), sessionText(id, "/w/p") + lines.join("")),
    );
    return { root, paths, catalog: catalogOf(root) };
  };

  test("the sessions are read, and no catalog is made", async () => {
    const { root, catalog } = store();
    expect(await allHits(catalog, "said")).toHaveLength(12);
    expect(readdirSync(join(root, ".."))).toEqual(["sessions"]);
  });

  test("what was taken in since is found", async () => {
    const { paths, catalog } = store();
    await catalog.update();
    appendFileSync(paths[0] as string, line("new", "u5", "said now"));
    await catalog.update({ textIndex: false });
    expect((await allHits(catalog, "now")).map(({ entryId }) => entryId)).toEqual(["new"]);
  });

  test("pages go on where they began", async () => {
    const { paths, catalog } = store();
    const whole = async ({ hits, cursor }: SearchResult) => {
      const rest = await allHits(catalog, "said", { limit: 5, cursor: cursor as string });
      return new Set(namesOf([...hits, ...rest]));
    };
    const read = await catalog.search("said", { limit: 5 });
    await catalog.update();
    expect((await whole(read)).size).toBe(12);
    const stored = await catalog.search("said", { limit: 5 });
    appendFileSync(paths[1] as string, line("new", "u5", "said now"));
    await catalog.update({ textIndex: false });
    expect((await whole(stored)).size).toBe(12);
  });
});

test("hits in sessions that another process forgets meanwhile are left out", async () => {
  const root = join(temporaryFolder(), "sessions");
  const paths = ["s1", "s2"].map((id) =>
    place(join(root, `p/t_${id}.jsonl`), sessionText(id, "/w/p") + line("u1", null, "said")),
  );
  const catalog = await indexedCatalog(root);
  const other = catalogOf(root);
  await other.update();
  rmSync(paths[0] as string);
  const [{ hits }] = await Promise.all([catalog.search("re:said"), other.update()]);
  expect(hits.map(({ sessionId }) => sessionId)).toEqual(["s2"]);
});

test("a search in the index lets others have their turn, which can end it", async () => {
  const root = join(temporaryFolder(), "sessions");
  const texts = Array.from({ length: 12 }, (_, at) => line(`u${at}`, null, "and so on ".repeat(100_000)));
  place(join(root, "p/t_s1.jsonl"), sessionText("s1", "/w/p") + texts.join(""));
  const catalog = await indexedCatalog(root);
  const controller = new AbortController();
  const reason = new Error("enough");
  const search = catalog.search("zq", { signal: controller.signal });
  setImmediate(() => controller.abort(reason));
  await expect(search).rejects.toBe(reason);
});

test.each(Object.entries(searchable))("%s words of any length and any letters are found", async (_, open) => {
  const root = join(temporaryFolder(), "sessions");
  const words = [`a${"😀".repeat(600)}`, "😀".repeat(600), `ab${"😀".repeat(499)}c`, "x".repeat(3000)];
  const lines = words.map((word, at) => line(`u${at}`, null, `word ${word}`));
  place(join(root, "p/t_s1.jsonl"), sessionText("s1", "/w/p") + lines.join(""));
  const catalog = await open(root);
  for (const [at, word] of words.entries())
    expect((await allHits(catalog, word)).map(({ entryId }) => entryId)).toContain(`u${at}`);
});

test.each(Object.entries(searchable))("%s ids that are no text are told apart", async (_, open) => {
  const root = join(temporaryFolder(), "sessions");
  const ids = ["\ud800", "\ud801", "\ufffd", "\u0001[]", "a\0b"];
  const lines = ids.map((id, at) => line(id, ids[at - 1] ?? null, "said"));
  const label = { type: "label", id: "l", parentId: "a\0b", timestamp: "t", targetId: "\ud801", label: "marked" };
  place(join(root, "p/t_s1.jsonl"), `${sessionText("s1", "/w/p")}${lines.join("")}${JSON.stringify(label)}\n`);
  const catalog = await open(root);
  const hits = await allHits(catalog, "said");
  expect(hits.map(({ entryId }) => entryId).sort()).toEqual(ids.toSorted());
  expect(hits.map(({ branches }) => branches)).toEqual(ids.map(() => ["a\0b"]));
  expect((await allHits(catalog, "label:marked")).map(({ entryId }) => entryId)).toEqual(["\ud801"]);
});
