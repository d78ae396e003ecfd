import fc from "fast-check";
import { expect, test } from "vitest";
import { pathTo } from "../../src/tree/path.ts";
import { anyHeads } from "../support/any-heads.ts";
import { fold } from "../support/fold.ts";

test("chains hold every head, and paths in chains are paths", () => {
  fc.assert(
    fc.property(anyHeads, (heads) => {
      const tree = fold(heads);
      const { chains } = tree;
      const all = [...chains.all()];
      expect(all.flatMap((chain) => chains.headsOf(chain))).toEqual([...tree.heads()]);
      for (const chain of all) {
        const links = chains.headsOf(chain).slice(1);
        const before = chains.headsOf(chain).slice(0, links.length);
        expect(links.map(({ parentId }) => parentId)).toEqual(before.map(({ id }) => id));
        expect(new Set([...links, ...before].map(({ type }) => type)).size).toBeLessThanOrEqual(1);
      }
      for (const { id } of tree.heads()) {
        const path = chains.to(id);
        expect(path.flatMap((chain) => chains.headsOf(chain))).toEqual(pathTo(tree, id).heads);
        const on = chains.idsIn(path);
        const ids = new Set(pathTo(tree, id).heads.map((head) => head.id));
        for (const other of tree.heads()) expect(on.has(other.id)).toBe(ids.has(other.id));
      }
      const lengths = chains.lengths();
      for (const { id } of heads) expect(lengths.of(id)).toBe(pathTo(tree, id).heads.length);
      expect(lengths.of("nowhere")).toBe(0);
      expect(chains.to(null)).toEqual([]);
      expect(chains.to("nowhere")).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
