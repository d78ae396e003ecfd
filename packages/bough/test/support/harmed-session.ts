import { randomSession } from "../../src/testing/index.ts";
import { Random } from "../../src/testing/random.ts";

/** What may happen to a stored line. */
const harms: readonly ((line: string, random: Random) => string)[] = [
  (line, random) => line.slice(0, random.integer(line.length)),
  (line) => `${line.slice(0, line.length - 9)}}`,
  (line, random) => line.slice(0, random.integer(line.length)) + line,
  (line) => `\0\0\0${line}`,
  (line) => line.replace(":", " : "),
  (line) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse())),
  (line) => `${line}\r`,
  (line) => line.replace(/"content":/, '"content":"\\ud83d",'),
  (line) => line.replace(/"role":"(\w+)"/, '"role":"\\u0075ser"'),
  (line) => line.replace('"type":"message"', '"type":"message","type":"custom"'),
  (line) => line.replace(/"message":\{/, '"message":null,"was":{'),
  () => "[]",
  () => "",
  () => "no json at all",
  () => '{"type":"session","version":3,"id":"again"}',
];

/** A session's file as it may be found: about one in three is sound. */
export function harmedSession(seed: number): Buffer {
  const random = new Random(seed);
  const { header, entries } = randomSession(seed, {
    length: 20 + random.integer(120),
    damaged: random.integer(2) === 0,
  });
  const isHarmed = random.integer(3) > 0;
  const lines = entries.map((entry) => {
    const line = JSON.stringify(entry);
    return isHarmed && random.integer(12) === 0 ? random.pick(harms)(line, random) : line;
  });
  if (random.integer(4) === 0) lines.push(...lines.slice(-2));
  const bytes = Buffer.from(`${[JSON.stringify(header), ...lines].join("\n")}\n`);
  if (isHarmed && random.integer(3) === 0) bytes[200 + random.integer(bytes.length - 200)] = 0xff;
  return random.integer(4) === 0 ? bytes.subarray(0, bytes.length - random.integer(100)) : bytes;
}
