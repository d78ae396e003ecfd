import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { catalogOf, contentOf } from "./catalogs.ts";
import { RandomStore } from "./random-store.ts";

const seeds = Array.from({ length: process.env.BOUGH_CAMPAIGN ? 300 : 6 }, (_, index) => index + 1);

test.each(seeds)("LS-17 a catalog that grew with its store says what a new one says, seed %i", async (seed) => {
  const folder = temporaryFolder();
  const store = new RandomStore(join(folder, "sessions"), seed);
  const catalog = catalogOf(store.root);
  for (let round = 0; round < 10; round++) {
    for (let count = 0; count < 6; count++) store.change();
    await catalog.update();
    const fresh = catalogOf(store.root, join(folder, `fresh-${round}.sqlite`));
    await fresh.update();
    expect(contentOf(join(folder, "catalog.sqlite")), `seed ${seed}, round ${round}`).toEqual(
      contentOf(join(folder, `fresh-${round}.sqlite`)),
    );
    fresh.close();
  }
});
