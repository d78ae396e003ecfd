import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Random } from "../../src/testing/random.ts";

const words = (
  "Index index INDEX café cafe\u0301 数据库 数据 会话树 会話 検索 서버 parseQuery() foo.bar[0] if(x===1) it's C:\\tmp " +
  'naïve Straße İstanbul ΟΔΟΣ 🔥 a I 中 日本語 "quoted" path/to/file.ts fi ﬁ Ǆ e\u0301 -n --flag %_ * tree BRANCH'
).split(" ");

/** Session files below a folder, and changes to them as programs and people make them, by a seed. */
export class RandomStore {
  readonly root: string;
  readonly #random: Random;
  #count = 0;

  constructor(root: string, seed: number) {
    this.root = root;
    this.#random = new Random(seed);
    mkdirSync(root, { recursive: true });
  }

  get files(): string[] {
    const names = readdirSync(this.root, { recursive: true }) as string[];
    return names
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(this.root, name));
  }

  words(count = 1 + this.#random.integer(3)): string {
    return Array.from({ length: count }, () => this.#random.pick(words)).join(" ");
  }

  /** A part of what could be said. */
  query(): string {
    const word = this.#random.pick(words);
    const from = this.#random.integer(word.length);
    return this.#random.chance(0.5) ? word : word.slice(from, from + 1 + this.#random.integer(4));
  }

  /** Some words in a row from one of these texts, the first and the last perhaps cut. */
  phrase(texts: readonly string[]): string {
    for (;;) {
      const text = this.#random.pick(texts);
      const from = this.#random.integer(text.length);
      const phrase = text.slice(from, from + 3 + this.#random.integer(30)).trim();
      if (phrase.isWellFormed() && !phrase.includes('"') && /\S\s+\S/.test(phrase) && !/^\p{M}/u.test(phrase))
        return phrase;
    }
  }

  create(entries = 1 + this.#random.integer(12)): string {
    const id = `s${++this.#count}`;
    const folder = join(this.root, `p${this.#random.integer(3)}`);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `t_${id}.jsonl`);
    const parent = this.#random.chance(0.3) ? { parentSession: `s${1 + this.#random.integer(this.#count)}` } : {};
    const header = {
      type: "session",
      version: 3,
      id,
      timestamp: this.#time(),
      cwd: `/w/p${this.#random.integer(3)}`,
      ...parent,
    };
    writeFileSync(path, `${JSON.stringify(header)}\n${this.#lines(entries)}`);
    return path;
  }

  /** One change of a kind that happens to stores. */
  change(): unknown {
    const files = this.files;
    if (files.length < 3) return this.create();
    const path = this.#random.pick(files);
    switch (
      this.#random.weighted({
        append: 12,
        torn: 3,
        create: 3,
        rewrite: 1,
        replace: 1,
        cut: 1,
        remove: 1,
        touch: 1,
        spoil: 1,
      })
    ) {
      case "append":
        return appendFileSync(path, this.#lines(1 + this.#random.integer(4)));
      case "torn": {
        const line = this.#lines(1);
        return appendFileSync(
          path,
          line.slice(0, this.#random.chance(0.5) ? -1 : 1 + this.#random.integer(line.length)),
        );
      }
      case "create":
        return this.create();
      case "rewrite": {
        const [header, ...rest] = readFileSync(path, "utf8").split("\n");
        return writeFileSync(path, [header, ...rest.slice(1), this.#lines(3)].join("\n"));
      }
      case "replace": {
        const copy = `${path}.tmp`;
        writeFileSync(copy, `${readFileSync(path, "utf8").split("\n")[0]}\n${this.#lines(4)}`);
        return renameSync(copy, path);
      }
      case "cut":
        return truncateSync(path, this.#random.integer(readFileSync(path).length));
      case "remove":
        return rmSync(path);
      case "touch":
        return utimesSync(path, 1, 1_700_000_000 + this.#random.integer(1e6));
      case "spoil":
        return appendFileSync(
          path,
          this.#random.pick([
            "no json\n",
            "[1]\n",
            "\n",
            '{"type":"session"}\n',
            '{"type":"message","id":"x1","parentId":null,"timestamp":"x","message":7}\n',
          ]),
        );
    }
  }

  #lines(count: number): string {
    return Array.from({ length: count }, () => `${JSON.stringify(this.#entry())}\n`).join("");
  }

  #entry(): object {
    const id = () => `e${this.#random.integer(40)}`;
    const base = { id: id(), parentId: this.#random.chance(0.1) ? null : id(), timestamp: this.#time() };
    const random = this.#random;
    switch (random.weighted({ user: 4, assistant: 4, tool: 4, label: 2, name: 1, leaf: 1, compaction: 1, custom: 1 })) {
      case "user":
        return { type: "message", ...base, message: { role: "user", content: this.words() } };
      case "assistant": {
        const call = {
          type: "toolCall",
          id: "c1",
          name: random.pick(["bash", "read"]),
          arguments: { command: this.words(2) },
        };
        const usage = {
          input: random.integer(100),
          output: 7,
          cacheRead: 0,
          cacheWrite: 0,
          cost: { total: random.below(1) },
        };
        const content = [{ type: "thinking", thinking: this.words() }, { type: "text", text: this.words(4) }, call];
        return {
          type: "message",
          ...base,
          message: { role: "assistant", provider: "p", model: random.pick(["m1", "M2"]), content, usage },
        };
      }
      case "tool":
        return {
          type: "message",
          ...base,
          message: {
            role: "toolResult",
            toolCallId: "c1",
            toolName: random.pick(["bash", "read"]),
            content: [{ type: "text", text: this.words(20) }],
          },
        };
      case "label":
        return { type: "label", ...base, targetId: id(), ...(random.chance(0.8) && { label: this.words() }) };
      case "name":
        return { type: "session_info", ...base, ...(random.chance(0.8) && { name: this.words() }) };
      case "leaf":
        return { type: "leaf", ...base, targetId: random.chance(0.2) ? null : id() };
      case "compaction":
        return { type: "compaction", ...base, summary: this.words(5), firstKeptEntryId: id(), tokensBefore: 5 };
      case "custom":
        return { type: "custom", ...base, customType: "notes", data: { text: [this.words(), 42] } };
    }
  }

  #time(): string {
    return new Date(Date.UTC(2026, 0, 1) + this.#random.integer(1e9)).toISOString();
  }
}
