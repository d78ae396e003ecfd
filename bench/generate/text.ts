import { Random } from "../../packages/bough/src/testing/random.ts";

/** Text as coding agents meet it, from a seed: prose, source, listings, logs, and some of it beyond ASCII. */

const words = (
  "the a of to and in for with on from is are was were be been this that these those it its as at by or not no file path " +
  "module function value error test build cache index query table row column session branch node tree leaf parent child " +
  "entry message token context summary compact fork merge label model thinking level tool call result read write open " +
  "close append scan parse string number buffer stream offset length chunk line header record page server client request " +
  "response timeout retry handler route socket worker thread queue lock event loop promise await return import export " +
  "class interface type generic union literal object array map set key compile bundle package version release commit diff"
).split(" ");
const names =
  "alpha bravo cargo delta ember flint grove harbor indigo juniper kestrel lumen maple nectar onyx prairie quartz".split(
    " ",
  );
const foreign = [
  "café naïve résumé",
  "Größe überprüfen",
  "変更を確認してください",
  "проверка завершена",
  "✓ passed — 3 ✗ failed",
  "数据库连接失败",
  "🚀 deploy",
];
const suffixes = ["ts", "tsx", "mjs", "json", "md", "py", "rs", "go", "sql", "yaml"];

/** Small pieces that the numbers of `random` decide. */
export class Wordsmith {
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.random.pick(words)).join(" ");
  }

  name(): string {
    return this.random.pick(names);
  }

  identifier(): string {
    return `${this.name()}${this.name().replace(/^./, (first) => first.toUpperCase())}`;
  }

  file(): string {
    return `src/${this.name()}/${this.name()}-${this.name()}.${this.random.pick(suffixes)}`;
  }

  /** From `least` to `most`, both inclusive. */
  between(least: number, most: number): number {
    return least + this.random.integer(most - least + 1);
  }

  /** The same with small numbers as likely as large ones: lengths of real texts are spread so. */
  spread(least: number, most: number): number {
    return Math.round(least * (most / least) ** this.random.below(1));
  }

  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.random.integer(16).toString(16)).join("");
  }

  sentence(): string {
    return `${this.words(this.between(6, 18)).replace(/^./, (first) => first.toUpperCase())}.`;
  }

  line(): string {
    switch (this.random.integer(8)) {
      case 0:
        return `    const ${this.identifier()} = await ${this.identifier()}.${this.words(1)}("${this.words(2)}");`;
      case 1:
        return `  if (${this.identifier()} === ${this.identifier()}[${this.random.integer(99)}]) {`;
      case 2:
        return `${this.file()}:${this.between(1, 900)}:${this.between(1, 80)}: error: ${this.words(this.between(4, 12))}`;
      case 3:
        return `\t\treturn ${this.identifier()}(${this.identifier()}, "${this.file()}");`;
      case 4:
        return `[${this.between(10, 23)}:${this.between(10, 59)}] INFO ${this.name()}: ${this.words(8)}`;
      case 5:
        return `-rw-r--r-- 1 dev dev ${this.between(100, 99_999)} Mar ${this.between(1, 28)} ${this.file()}`;
      case 6:
        return `{"${this.identifier()}":"${this.words(3)}","count":${this.random.integer(1e6)}}`;
      default:
        return `${this.random.pick(["+", "-", "//", ""])} ${this.words(this.between(3, 12))}`;
    }
  }
}

interface Pool {
  readonly prose: readonly string[];
  readonly lines: readonly string[];
}

/** Made once for all sessions: a new line for every line would cost more than writing the files. */
let pool: Pool | undefined;

function sharedPool(): Pool {
  if (pool) return pool;
  const smith = new Wordsmith(new Random(4242));
  const prose = Array.from({ length: 8000 }, () => smith.sentence());
  const lines = Array.from({ length: 30_000 }, () => smith.line());
  pool = { prose, lines };
  return pool;
}

/** One that texts are made of. */
export function sentence(index: number): string {
  return sharedPool().prose[index] as string;
}

/** About so many characters. In `foreign` text every seventh piece is beyond ASCII. */
export function textOf(kind: keyof Pool, length: number, smith: Wordsmith, isForeign = false): string {
  const pieces = sharedPool()[kind];
  const text: string[] = [];
  let at = smith.random.integer(pieces.length);
  for (let written = 0; written < length; at = (at + 1) % pieces.length) {
    const piece = pieces[at] as string;
    text.push(piece);
    written += piece.length + 1;
    if (isForeign && text.length % 7 === 1) text.push(smith.random.pick(foreign));
  }
  return text.join(kind === "prose" ? " " : "\n");
}

/** A picture of so many bytes, in base64. */
export function imageOf(bytes: number, { random }: Wordsmith): string {
  const data = Buffer.alloc(bytes - (bytes % 12));
  for (let at = 0; at < data.length; at += 4) data.writeUInt32LE(random.integer(2 ** 32), at);
  return data.toString("base64");
}
