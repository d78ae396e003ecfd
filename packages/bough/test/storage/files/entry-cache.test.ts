import fc from "fast-check";
import { expect, test } from "vitest";
import { EntryCache } from "../../../src/storage/files/entry-cache.ts";

const limit = 800;

/** Positions in the order they were last asked for or set, with their sizes. */
type Call = { readonly do: "get"; readonly position: number } | { readonly do: "set"; readonly bytes: number };

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ do: fc.constant("get" as const), position: fc.nat(60) }),
  fc.record({ do: fc.constant("set" as const), bytes: fc.integer({ min: 1, max: 100 }) }),
);

test("what is kept is what was asked for last, as much as the limit allows but for an eighth and one entry", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 120 }), (calls) => {
      const cache = new EntryCache<number>(limit);
      const sizes = new Map<number, number>();
      for (const call of calls) {
        const position = call.do === "get" ? call.position : sizes.size;
        if (call.do === "set") cache.set(position, position, call.bytes);
        else if (cache.get(position) === undefined) continue;
        const bytes = call.do === "set" ? call.bytes : (sizes.get(position) as number);
        sizes.delete(position);
        sizes.set(position, bytes);
      }
      const latestFirst = [...sizes].reverse();
      let sum = 0;
      for (const [position, bytes] of latestFirst) {
        sum += bytes;
        if (sum > (7 / 8) * limit - 100) break;
        expect(cache.get(position)).toBe(position);
      }
      const kept = latestFirst.filter(([position]) => cache.get(position) !== undefined);
      expect(kept.reduce((total, [, bytes]) => total + bytes, 0)).toBeLessThanOrEqual(limit);
    }),
  );
});

test("one that leaves no room for others is not kept, and takes no other's place", () => {
  const cache = new EntryCache<string>(limit);
  cache.set(1, "small", 10);
  cache.set(2, "large", limit);
  expect([cache.get(1), cache.get(2)]).toEqual(["small", undefined]);
});
