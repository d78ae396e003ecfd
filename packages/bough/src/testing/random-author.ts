import type { SessionTreeEntry } from "../entry/entry.ts";
import { Random } from "./random.ts";
import { randomText } from "./random-text.ts";

const steps = {
  turn: 60,
  move: 10,
  summarise: 3,
  compact: 2,
  label: 6,
  name: 2,
  state: 6,
  custom: 6,
  edit: 2,
  usage: 2,
  shell: 2,
} as const;

const harms = { orphan: 1, self: 1, cycle: 1, repeat: 2, unknown: 2, lostLeaf: 1, lostKept: 1, damaged: 1 } as const;

export function timeOf(index: number): string {
  return new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
}

/** Writes a session step by step: what happens next is drawn, and done to the session as it stands. */
export class RandomAuthor {
  readonly entries: SessionTreeEntry[] = [];
  readonly #random: Random;
  readonly #damaged: boolean;
  /** Ids of what is no mark. */
  readonly #nodes: string[] = [];
  readonly #parents = new Map<string, string | null>();
  #leaf: string | null = null;
  #calls = 0;

  constructor(seed: number, damaged: boolean) {
    this.#random = new Random(seed);
    this.#damaged = damaged;
  }

  proceed(): void {
    if (this.#nodes.length === 0) this.#turn();
    else if (this.#damaged && this.#random.chance(0.05)) this.#harms[this.#random.weighted(harms)]();
    else this.#steps[this.#random.weighted(steps)]();
  }

  readonly #steps: Readonly<Record<keyof typeof steps, () => void>> = {
    turn: () => this.#turn(),
    move: () => this.#move(this.#random.chance(0.03) ? null : this.#random.pick(this.#nodes)),
    summarise: () => {
      const fromId = this.#leaf ?? "root";
      this.#leaf = this.#random.pick(this.#nodes);
      this.#node({
        type: "branch_summary",
        fromId,
        summary: this.#text(),
        details: { readFiles: [], modifiedFiles: [] },
      });
    },
    compact: () => this.#compact(),
    label: () => {
      const targetId = this.#random.pick(this.#nodes);
      this.#mark({ type: "label", targetId, ...(this.#random.chance(0.8) && { label: this.#text() }) });
    },
    name: () => this.#mark({ type: "session_info", name: this.#random.chance(0.9) ? this.#text() : "" }),
    state: () => this.#node(this.#random.pick(this.#states())),
    custom: () => {
      const customType = this.#random.pick(["note", "plan", "bookkeeping"]);
      if (this.#random.chance(0.5)) this.#node({ type: "custom", customType, data: { text: this.#text() } });
      else this.#node({ type: "custom_message", customType, content: this.#text(), display: this.#random.chance(0.7) });
    },
    edit: () => {
      const replacement = this.#random.chance(0.5) ? null : { content: this.#text() };
      this.#node({ type: "context_edit", targetId: this.#random.pick(this.#path()), replacement });
    },
    usage: () => this.#mark({ type: "usage", kind: "warmup", provider: "acme", model: "large", usage: this.#usage() }),
    shell: () => {
      const bash = { role: "bashExecution", command: "ls", output: this.#text(), exitCode: 0 };
      this.#message({ ...bash, cancelled: false, truncated: false });
    },
  };

  readonly #harms: Readonly<Record<keyof typeof harms, () => void>> = {
    orphan: () => this.#add(this.#userMessage(), "lost"),
    self: () => this.#add(this.#userMessage(), this.#nextId()),
    cycle: () => {
      const first = this.#nextId();
      this.#add(this.#userMessage(), `e${this.entries.length + 1}`);
      this.#add(this.#userMessage(), first);
    },
    repeat: () => this.entries.push(this.#random.pick(this.entries)),
    unknown: () => this.#node({ type: "from_the_future", answer: 42 }),
    lostLeaf: () => this.#add({ type: "leaf", targetId: "lost" }, this.#leaf),
    lostKept: () => {
      this.#node({ type: "compaction", summary: this.#text(), firstKeptEntryId: "lost", tokensBefore: 1 });
    },
    damaged: () => this.#add({ type: "damaged", originalType: "message" }, this.#leaf),
  };

  #userMessage(): object {
    return { type: "message", message: { role: "user", content: this.#text(), timestamp: 0 } };
  }

  #states(): object[] {
    return [
      { type: "model_change", provider: "acme", modelId: "large", model: "acme/large" },
      { type: "model_change", provider: "acme", modelId: "small", model: "acme/small" },
      { type: "thinking_level_change", thinkingLevel: this.#random.pick(["off", "low", "high"]) },
      { type: "active_tools_change", activeToolNames: this.#random.pick([[], ["read"], ["read", "bash"]]) },
      { type: "ttsr_injection", injectedRules: [this.#random.pick(["tests", "style"])] },
    ];
  }

  #turn(): void {
    this.#message({ role: "user", content: [{ type: "text", text: this.#text() }] });
    while (this.#random.chance(0.4)) {
      const calls = Array.from({ length: 1 + this.#random.integer(3) }, () => `call-${this.#calls++}`);
      const toolCalls = calls.map((id) => ({ type: "toolCall", id, name: "read", arguments: { path: this.#text() } }));
      this.#reply(toolCalls, "toolUse");
      for (const toolCallId of calls) {
        const content = [{ type: "text", text: this.#text() }];
        this.#message({ role: "toolResult", toolCallId, toolName: "read", content, isError: this.#random.chance(0.1) });
      }
    }
    this.#reply([{ type: "text", text: this.#text() }], this.#random.chance(0.05) ? "aborted" : "stop");
  }

  #reply(content: readonly object[], stopReason: string): void {
    const usage = this.#usage();
    this.#message({ role: "assistant", content, api: "messages", provider: "acme", model: "large", usage, stopReason });
  }

  #compact(): void {
    const path = this.#path();
    const id = this.#nextId();
    const firstKeptEntryId = this.#random.chance(0.2) ? id : this.#random.pick(path);
    this.#node({
      type: "compaction",
      summary: this.#text(),
      firstKeptEntryId,
      tokensBefore: this.#random.integer(200_000),
    });
  }

  #move(target: string | null): void {
    this.#add({ type: "leaf", targetId: target }, target);
    this.#leaf = target;
  }

  #message(message: object): void {
    this.#node({ type: "message", message: { ...message, timestamp: Date.parse(timeOf(this.entries.length)) } });
  }

  #node(body: object): void {
    const id = this.#nextId();
    this.#add(body, this.#leaf);
    this.#nodes.push(id);
    this.#leaf = id;
  }

  #mark(body: object): void {
    this.#add(body, this.#leaf);
  }

  #add(body: object, parentId: string | null): void {
    const { type, ...rest } = body as { readonly type: string };
    const id = this.#nextId();
    this.#parents.set(id, parentId);
    const entry = { type, id, parentId, timestamp: timeOf(this.entries.length), ...rest };
    this.entries.push(entry as unknown as SessionTreeEntry);
  }

  #nextId(): string {
    return `e${this.entries.length}`;
  }

  #path(): string[] {
    const path = new Set<string>();
    for (let id = this.#leaf; id !== null && !path.has(id); id = this.#parents.get(id) ?? null) path.add(id);
    return path.size > 0 ? [...path] : [this.#random.pick(this.#nodes)];
  }

  #usage(): object {
    const [input, output] = [this.#random.integer(5000), this.#random.integer(500)];
    const usage = { input, output, cacheRead: this.#random.integer(5000), cacheWrite: 0 };
    const cost = { input: input / 2 ** 20, output: output / 2 ** 20, cacheRead: 0, cacheWrite: 0 };
    return {
      ...usage,
      totalTokens: input + output + usage.cacheRead,
      cost: { ...cost, total: (input + output) / 2 ** 20 },
    };
  }

  #text(): string {
    return randomText(this.#random);
  }
}
