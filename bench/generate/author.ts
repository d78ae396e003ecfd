import { Random } from "../../packages/bough/src/testing/random.ts";
import type { SessionPlan } from "./plan.ts";
import { type Fields, type Shape, shapes } from "./shape.ts";
import { imageOf, textOf, Wordsmith } from "./text.ts";

const day = 86_400_000;
/** Entries behind the last compaction, so that sessions of any length end alike. */
const tail = 200;
const betweenCompactions = 400;
const betweenBranches = 50;
const models = [
  ["anthropic", "anthropic-messages", "claude-sonnet-4-5"],
  ["openai", "openai-responses", "gpt-5.2"],
  ["google", "google-generative-ai", "gemini-3-pro"],
] as const;
const levels = ["off", "low", "medium", "high"];
const tools = ["bash", "read", "edit", "write", "grep", "find", "ls"];

/** A step of the path that is being written. */
interface Step {
  readonly id: string;
  readonly isUser: boolean;
}

/**
 * Writes one session, line by line. Of its entries about 5 % are the user's, 45 % the model's, mostly with calls, and
 * 45 % results of 0.5 to 20 KB; 1 % are pictures of 50 to 200 KB. There is a compaction about every 400 entries and a
 * branch about every 130; the rest are changes of state, labels, names, notes of extensions. Equal plans give equal bytes.
 */
export class Author {
  readonly #plan: Required<SessionPlan>;
  readonly #shape: Shape;
  readonly #smith: Wordsmith;
  readonly #ids = new Set<string>();
  readonly #compactions: number[];
  #lines: string[] = [];
  #path: Step[] = [];
  #written = 0;
  #time: number;
  #model: (typeof models)[number];
  #level = "medium";
  /** What labels name. */
  #lastId = "";
  #sinceBranch = 0;
  /** Where the path goes on from the last compaction: no branch undoes one. */
  #floor = 1;

  constructor(plan: SessionPlan) {
    const begin = Date.UTC(2026, 2, 1);
    const defaults = { shape: "pi", cwd: "/home/dev/project", begin, isCompacted: true, changesLevel: true } as const;
    this.#plan = { ...defaults, ...plan };
    this.#shape = shapes[this.#plan.shape];
    this.#smith = new Wordsmith(new Random(plan.seed));
    this.#time = this.#plan.begin + this.#smith.random.integer(day);
    this.#model = this.#smith.random.pick(models);
    this.#compactions = this.#plan.isCompacted ? this.#compactionTimes() : [];
  }

  *lines(): Generator<string> {
    this.#begin();
    while (this.#hasRoom) {
      if (this.#written >= (this.#compactions[0] ?? Number.POSITIVE_INFINITY)) this.#compact();
      else if (this.#sinceBranch >= betweenBranches) this.#branch();
      else this.#turn();
      yield* this.#lines;
      this.#lines = [];
    }
  }

  get #hasRoom(): boolean {
    return this.#written < this.#plan.entries;
  }

  #compactionTimes(): number[] {
    const times: number[] = [];
    for (let at = this.#plan.entries - tail; at > 60; at -= betweenCompactions + this.#smith.between(-40, 40)) {
      times.unshift(at);
    }
    return times;
  }

  #begin(): void {
    const id = `${this.#smith.hex(8)}-${this.#smith.hex(4)}-7${this.#smith.hex(3)}-a${this.#smith.hex(3)}-${this.#smith.hex(12)}`;
    const timestamp = new Date(this.#time).toISOString();
    this.#lines.push(JSON.stringify({ type: "session", version: 3, id, timestamp, cwd: this.#plan.cwd }));
    this.#add("model_change", this.#shape.modelChange(this.#model[0], this.#model[2]));
    this.#add("thinking_level_change", { thinkingLevel: this.#level });
    if (this.#plan.entries > 8) this.#add("message", { message: this.#systemMessage() });
  }

  /** The user, calls with their results, and the answer; between them what else happens in a session. */
  #turn(): void {
    const { random } = this.#smith;
    const before = this.#written;
    this.#changeState();
    if (this.#hasRoom) this.#say("user", { content: this.#userContent() });
    for (let calls = this.#smith.between(3, 15); calls > 0 && this.#written + 1 < this.#plan.entries; calls--) {
      if (this.#written >= (this.#compactions[0] ?? Number.POSITIVE_INFINITY)) break;
      this.#callTool();
      if (this.#hasRoom && random.chance(0.02)) this.#add("custom", { customType: "todo", data: this.#todo() });
    }
    if (this.#hasRoom) this.#reply([{ type: "text", text: this.#prose(100, 3000) }], "stop");
    this.#annotate();
    this.#sinceBranch += this.#written - before;
  }

  #changeState(): void {
    const { random } = this.#smith;
    if (this.#hasRoom && random.chance(0.06)) {
      this.#model = random.pick(models);
      this.#add("model_change", this.#shape.modelChange(this.#model[0], this.#model[2]));
    }
    if (this.#hasRoom && this.#plan.changesLevel && random.chance(0.05)) {
      this.#level = random.pick(levels);
      this.#add("thinking_level_change", { thinkingLevel: this.#level });
    }
  }

  #annotate(): void {
    const { random } = this.#smith;
    if (this.#hasRoom && random.chance(0.12)) {
      this.#mark("label", { targetId: this.#lastId, label: this.#smith.words(2) });
    }
    if (this.#hasRoom && random.chance(0.06)) {
      const details = { source: this.#smith.name() };
      this.#add("custom_message", { customType: "note", content: this.#prose(80, 600), display: true, details });
    }
    if (this.#hasRoom && random.chance(this.#written < 60 ? 0.15 : 0.01)) {
      this.#mark("session_info", { name: `${this.#smith.name()} ${this.#smith.words(3)}` });
    }
  }

  #callTool(): void {
    const { random } = this.#smith;
    const id = `toolu_${this.#smith.hex(24)}`;
    const isPicture = random.chance(0.022);
    const name = isPicture ? "read" : random.pick(tools);
    const thought = { type: "thinking", thinking: this.#prose(80, 1500), thinkingSignature: this.#smith.hex(200) };
    const call = { type: "toolCall", id, name, arguments: this.#argumentsOf(name) };
    this.#reply([...(this.#level !== "off" && random.chance(0.6) ? [thought] : []), call], "toolUse");
    const content = isPicture
      ? [{ type: "image", data: imageOf(this.#smith.between(37_500, 150_000), this.#smith), mimeType: "image/png" }]
      : [{ type: "text", text: textOf("lines", this.#smith.spread(500, 20_000), this.#smith, random.chance(0.06)) }];
    const details = random.chance(0.3) ? { details: { exitCode: random.integer(3) } } : {};
    this.#say("toolResult", { toolCallId: id, toolName: name, content, ...details, isError: random.chance(0.05) });
  }

  #argumentsOf(tool: string): Fields {
    const path = this.#smith.file();
    const source = (most: number) => textOf("lines", this.#smith.spread(60, most), this.#smith);
    if (tool === "bash") return { command: `npm test ${path}` };
    if (tool === "edit") return { path, oldText: source(1500), newText: source(2000) };
    return tool === "write" ? { path, content: source(6000) } : { path, limit: this.#smith.between(10, 2000) };
  }

  #reply(content: readonly Fields[], stopReason: string): void {
    const [provider, api, model] = this.#model;
    this.#say("assistant", { content, api, provider, model, usage: this.#usage(), stopReason });
  }

  #say(role: string, fields: Fields): void {
    this.#lastId = this.#add("message", { message: { role, ...fields, timestamp: this.#time } }, role === "user");
  }

  /** Goes back to something the user said lately, and leaves a summary there. */
  #branch(): void {
    this.#sinceBranch = this.#smith.between(-15, 15);
    const from = Math.max(this.#floor, this.#path.length - 24);
    const at = this.#path.findLastIndex((step, index) => step.isUser && index >= from && index < this.#path.length - 2);
    if (at === -1) return;
    const left = this.#path.at(-1)?.id;
    this.#path = this.#path.slice(0, at);
    const details = { readFiles: [this.#smith.file()], modifiedFiles: [] };
    this.#add("branch_summary", { fromId: left, summary: this.#prose(400, 1500), details });
  }

  #compact(): void {
    this.#compactions.shift();
    const kept = this.#path.at(-this.#smith.between(20, 40))?.id ?? this.#lastId;
    const [provider, , modelId] = this.#model;
    const state = { provider, modelId, thinkingLevel: this.#level, systemMessage: this.#systemMessage() };
    const tokensBefore = this.#smith.between(80_000, 180_000);
    const details = { readFiles: [this.#smith.file()], modifiedFiles: [this.#smith.file()] };
    const summary = this.#prose(2000, 5000);
    this.#add("compaction", { summary, tokensBefore, details, ...this.#shape.compaction(kept, state) });
    this.#floor = this.#path.length + 1;
  }

  #mark(type: string, fields: Fields): void {
    if (this.#shape.marksCarryChildren) this.#add(type, fields);
    else this.#record(type, fields);
  }

  #add(type: string, fields: Fields, isUser = false): string {
    const id = this.#record(type, fields);
    this.#path.push({ id, isUser });
    return id;
  }

  #record(type: string, fields: Fields): string {
    this.#time += this.#smith.between(200, 9000);
    const id = this.#shape.newId(this.#smith, this.#time, this.#ids);
    this.#ids.add(id);
    const place = { id, parentId: this.#path.at(-1)?.id ?? null, timestamp: new Date(this.#time).toISOString() };
    this.#lines.push(JSON.stringify(this.#shape.record(type, fields, place)));
    this.#written++;
    return id;
  }

  #prose(least: number, most: number): string {
    return textOf("prose", this.#smith.spread(least, most), this.#smith, this.#smith.random.chance(0.06));
  }

  #userContent(): string | readonly Fields[] {
    const text = this.#prose(60, 2500);
    return this.#smith.random.chance(0.5) ? text : [{ type: "text", text }];
  }

  #todo(): Fields {
    const items = Array.from({ length: this.#smith.between(1, 8) }, () => ({
      text: this.#smith.words(6),
      done: false,
    }));
    return { items };
  }

  #usage(): Fields {
    const input = this.#smith.between(5, 4000);
    const output = this.#smith.between(50, 1500);
    const cacheRead = this.#smith.random.integer(150_000);
    const cost = { input: input * 3e-6, output: output * 15e-6, cacheRead: cacheRead * 3e-7, cacheWrite: 0 };
    const total = cost.input + cost.output + cost.cacheRead;
    return {
      input,
      output,
      cacheRead,
      cacheWrite: 0,
      totalTokens: input + output + cacheRead,
      cost: { ...cost, total },
    };
  }

  #systemMessage(): Fields {
    const sections = { preamble: this.#prose(2500, 2600), guidelines: this.#prose(2000, 2100) };
    const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    const toolsAdded = tools.map((name) => ({ name, description: this.#prose(300, 320), parameters }));
    return { role: "system", content: "", sections, toolsAdded, timestamp: this.#time };
  }
}
