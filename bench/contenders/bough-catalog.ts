import { Catalog, fileSource } from "bough/catalog";
import type { CatalogView, Contender } from "./contender.ts";

const unused = () => Promise.reject(new Error("a catalog lists and searches; it opens no sessions"));

/** What bough knows of many sessions without reading them. */
export const contender: Contender = {
  open: unused,
  create: unused,
  async search(folder, phrase) {
    using catalog = Catalog.open({ sources: [fileSource({ name: "bench", root: folder })] });
    return (await catalog.search(`"${phrase}"`)).hits.length;
  },
  async catalog(folder, file) {
    using catalog = catalogOf(folder, file);
    await catalog.update();
    return () => viewOf(folder, file);
  },
};

function catalogOf(folder: string, file: string): Catalog {
  return Catalog.open({ file, sources: [fileSource({ name: "bench", root: folder })] });
}

function viewOf(folder: string, file: string): CatalogView {
  const catalog = catalogOf(folder, file);
  return {
    update: () => catalog.update(),
    async all() {
      await catalog.update({ textIndex: false });
      return (await catalog.list()).sessions.length;
    },
    page: async (limit) => (await catalog.list({ limit })).sessions.length,
    async currentPage(limit) {
      await catalog.update({ textIndex: false });
      return (await catalog.list({ limit })).sessions.length;
    },
    search: async (phrase) => (await catalog.search(`"${phrase}"`)).hits.length,
  };
}
