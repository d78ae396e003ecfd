import { join } from "node:path";
import { expect, test } from "vitest";
import { Catalog, storeSource } from "../../src/catalog/index.ts";
import { user } from "../../src/entry/build.ts";
import { SessionRepo } from "../../src/session/session-repo.ts";
import type { SessionStore } from "../../src/session/session-store.ts";
import { DirectoryStore } from "../../src/storage/directory/index.ts";
import { MemoryStore } from "../../src/storage/memory/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const stores: Record<string, () => SessionStore> = {
  "in memory": () => new MemoryStore(),
  "of folders": () => new DirectoryStore({ root: join(temporaryFolder(), "sessions"), durability: "process" }),
};

test.each(Object.keys(stores).flatMap((kind) => [true, false].map((isKept) => [kind, isKept] as const)))(
  "sessions %s are listed and searched, and what is added to them, in a catalog that is kept: %s",
  async (kind, isKept) => {
    const store = (stores[kind] as () => SessionStore)();
    await using repo = new SessionRepo({ store, cwd: "/w/p" });
    const file = join(temporaryFolder(), "catalog.sqlite");
    using catalog = Catalog.open({
      ...(isKept && { file }),
      sources: [storeSource({ name: "mine", id: "mine", store })],
    });
    const session = await repo.create({ id: "s1" });
    const first = await session.appendMessage(user("the first needle"));
    await (await repo.create({ id: "s2" })).appendMessage(user("hay"));
    await catalog.update();
    expect((await catalog.list()).sessions.map(({ id, messageCount }) => [id, messageCount]).sort()).toEqual([
      ["s1", 1],
      ["s2", 1],
    ]);
    const idsFound = async (query: string) => (await catalog.search(query)).hits.map(({ entryId }) => entryId).sort();
    expect(await idsFound("NEEDLE")).toEqual([first]);

    const second = await session.appendMessage(user("a second needle"));
    await session.appendLabel(first, "marked");
    await catalog.update();
    expect(await idsFound("needle")).toEqual([first, second].sort());
    expect(await idsFound("label:marked")).toEqual([first]);
    expect((await catalog.search("label:")).hits).toMatchObject([{ sessionId: "s1", branches: [second] }]);

    await session.close();
    await repo.delete("s1");
    await catalog.update();
    expect(await idsFound("needle")).toEqual([]);
    expect((await catalog.list()).sessions.map(({ id }) => id)).toEqual(["s2"]);
  },
);
