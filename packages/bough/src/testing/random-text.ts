import type { Random } from "./random.ts";

const words = "read the file then run tests fix what fails tree branch leaf path root commit summary why not yes".split(
  " ",
);
const oddities = [
  "日本語",
  "🔥",
  "e\u0301",
  "\u2028",
  "\u0000",
  "\ud83d",
  '"quoted"',
  "<b>&amp;</b>",
  "\u001b[31m",
  "a\nb",
];

/** A few words, now and then one that programs stumble over, rarely very many. */
export function randomText(random: Random): string {
  const count = random.chance(0.01) ? 2000 : 1 + random.integer(12);
  return Array.from({ length: count }, () => random.pick(random.chance(0.03) ? oddities : words)).join(" ");
}
