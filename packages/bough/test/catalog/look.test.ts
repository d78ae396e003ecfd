import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SessionRepo } from "../../src/session/session-repo.ts";
import { JsonlStore } from "../../src/storage/jsonl/jsonl-store.ts";
import { branchTips } from "../../src/tree/branches.ts";
import { place, sessionText } from "../storage/jsonl/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { catalogOf } from "./catalogs.ts";
import { RandomStore } from "./random-store.ts";

const seeds = Array.from({ length: process.env.BOUGH_CAMPAIGN ? 100 : 5 }, (_, index) => index + 1);

test.each(seeds)("of a current session says what counting says, or nothing, store %i", async (seed) => {
  const store = new RandomStore(join(temporaryFolder(), "sessions"), seed);
  for (let count = 0; count < 15; count++) store.create();
  const catalog = catalogOf(store.root);
  const repo = new SessionRepo({ store: new JsonlStore({ root: store.root, durability: "process" }) });
  let told = 0;
  for (let round = 0; round < 3; round++) {
    await catalog.update();
    for (const path of store.files) {
      const known = await catalog.look(path);
      if (!known) continue;
      told++;
      await using session = await repo.open(path);
      const { entryCount, messageCount, tokens, costTotal, own, inherited, unknownReplies } =
        await session.getSessionStats();
      const counted = { entryCount, messageCount, own, inherited, unknownReplies };
      expect(known, `seed ${seed}: ${path}`).toMatchObject({
        ...counted,
        usage: { ...tokens, cost: costTotal },
        branchCount: branchTips(await session.readTree()).length,
        leafId: session.leafId,
      });
    }
    for (let count = 0; count < 10; count++) store.change();
  }
  expect(told).toBeGreaterThan(10);
});

test("says nothing of what changed or is not there, and makes nothing", async () => {
  const folder = temporaryFolder();
  const path = place(join(folder, "sessions", "p", "t_s1.jsonl"), sessionText("s1", "/w/p"));
  const catalog = catalogOf(join(folder, "sessions"));
  expect(await catalog.look(path)).toBeUndefined();
  expect(existsSync(join(folder, "catalog.sqlite"))).toBe(false);
  await catalog.update();
  expect(await catalog.look(path)).toMatchObject({ path });
  expect(await catalog.look(`${path}x`)).toBeUndefined();
  appendFileSync(path, "\n");
  expect(await catalog.look(path)).toBeUndefined();
});
