import { exactNumbersOf } from "../entry/exact-numbers.ts";

/**
 * Whether two JSON values say the same, the order of keys apart. A number that JavaScript can't hold is compared as it was
 * spelt where both sides know that.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  const pairs: [unknown, unknown][] = [[a, b]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [left, right] = pair;
    if (Object.is(left, right)) continue;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const exact = [exactNumbersOf(left), exactNumbersOf(right)] as const;
    if (exact[0] && exact[1]) pairs.push([...exact]);
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false;
      pairs.push([(left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]]);
    }
  }
  return true;
}
