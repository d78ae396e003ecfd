import fc from "fast-check";
import { expect, test } from "vitest";
import { uuidV7 } from "../../src/entry/uuid.ts";

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const zeros = (length: number) => new Uint8Array(length);

test("the example of RFC 9562 comes out", () => {
  const bytes = Uint8Array.of(0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f);
  const next = uuidV7({ now: () => 0x017f22e279b0, random: () => bytes });
  expect(next()).toBe("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
});

test("omp-3 a hundred thousand ids are unique, well formed and in order", () => {
  const next = uuidV7();
  const ids = Array.from({ length: 100_000 }, next);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => pattern.test(id))).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
});

test("ids go up whatever the clock does", () => {
  const clock = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 2, maxLength: 50 });
  fc.assert(
    fc.property(clock, fc.boolean(), (times, full) => {
      const remaining = [...times];
      const random = (length: number) => new Uint8Array(length).fill(full ? 255 : 0);
      const next = uuidV7({ now: () => remaining.shift() ?? 0, random });
      const ids = times.map(() => next());
      expect(ids.toSorted()).toEqual(ids);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every((id) => pattern.test(id))).toBe(true);
    }),
  );
});

test("a clock before 1970 or of fractions is no obstacle", () => {
  expect(uuidV7({ now: () => -1, random: zeros })()).toBe("00000000-0000-7000-8000-000000000000");
  expect(uuidV7({ now: () => 1.5, random: zeros })()).toBe("00000000-0001-7000-8000-000000000000");
});
