import { closeSync, fstatSync, openSync, readSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Contender, Context, OpenSession, Visitor } from "./contender.ts";
import { block, headOf, linesBefore, linesOf, type PiEntry, parsed } from "./pi-lines.ts";

/*
 * A plain program that does little more than a question asks: read, parse what was asked for, write. It believes every
 * file: ids stand where pi writes them, nothing is damaged, nobody else writes, nothing is checked, frozen or remembered. No
 * engine, but what an engine can be measured by. Who knows more of a file, or joins what it writes, may be faster.
 */
export const contender: Contender = {
  open: (file, { folder }) => new LeastSession(file, folder),
  create: ({ folder }) => new LeastSession(created(folder), folder),
  copy(file, { folder }) {
    const target = openSync(pathIn(folder), "w");
    const source = openSync(file, "r");
    copyRange(source, target, 0, fstatSync(source).size);
    closeSync(source);
    closeSync(target);
    return pathIn(folder);
  },
};

class LeastSession implements OpenSession {
  readonly #folder: string;
  readonly #fd: number;
  /** Of the path, as far as the model is sent it; undefined until somebody asks. */
  #window: unknown[] | undefined;
  #state: Pick<Context, "thinkingLevel" | "model"> = { thinkingLevel: "off", model: null };
  #leafId: string | null = null;

  constructor(file: string, folder: string) {
    this.#folder = folder;
    this.#fd = openSync(file, "a+");
  }

  context(): Context {
    this.#window ??= this.#read();
    return { messages: this.#window.slice(), ...this.#state };
  }

  walk(visit: Visitor): number {
    const parents = new Map<string, string | null>();
    const labels = new Map<string, string | undefined>();
    for (const line of linesOf(this.#fd)) {
      const { type, id, parentId } = headOf(line);
      if (type === "label") {
        const { targetId, label } = parsed(line);
        labels.set(targetId as string, label as string | undefined);
      }
      parents.set(id, parentId);
    }
    for (const [id, parentId] of parents) visit(id, parentId, labels.get(id));
    return parents.size;
  }

  append(message: unknown): string {
    const id = Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
    const entry = { type: "message", id, parentId: this.#leafId, timestamp: new Date().toISOString(), message };
    writeSync(this.#fd, `${JSON.stringify(entry)}\n`);
    this.#window?.push(message);
    this.#leafId = id;
    return id;
  }

  fork(): string {
    const places = new Map<string, readonly [start: number, end: number, parentId: string | null]>();
    let leafId: string | null = null;
    for (const line of linesOf(this.#fd)) {
      const { id, parentId } = headOf(line);
      places.set(id, [line.offset, line.offset + line.end - line.start + 1, parentId]);
      leafId = id;
    }
    const path: (readonly [number, number, string | null])[] = [];
    for (let id = leafId; id !== null; id = path.at(-1)?.[2] ?? null)
      path.push(places.get(id) as (typeof path)[number]);
    const target = openSync(pathIn(this.#folder), "w");
    let [from, to] = [0, 0];
    for (const [start, end] of path.reverse()) {
      if (start !== to) {
        copyRange(this.#fd, target, from, to);
        from = start;
      }
      to = end;
    }
    copyRange(this.#fd, target, from, to);
    closeSync(target);
    return pathIn(this.#folder);
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Backwards from the end, along the path, to what the last compaction kept, and by heads to where level and model are told. */
  #read(): unknown[] {
    const messages: unknown[] = [];
    let compaction: PiEntry | undefined;
    let isIn = true;
    let level: string | undefined;
    let model: Context["model"] | undefined;
    let wanted: string | null | undefined;
    for (const line of linesBefore(this.#fd)) {
      const { type, id, parentId } = headOf(line);
      if (wanted !== undefined && id !== wanted) continue;
      this.#leafId ??= id;
      wanted = parentId;
      if (isIn || type === "thinking_level_change") {
        const entry = parsed(line);
        if (isIn && type === "compaction") compaction ??= entry;
        else if (isIn) messages.push(...messagesOf(entry));
        if (type === "thinking_level_change") level ??= entry.thinkingLevel as string;
        model ??= modelOf(entry);
      }
      isIn &&= id !== compaction?.firstKeptEntryId;
      if (wanted === null || (!isIn && level !== undefined && model)) break;
    }
    this.#state = { thinkingLevel: level ?? "off", model: model ?? null };
    if (compaction) messages.push(...messagesOf(compaction));
    return messages.reverse();
  }
}

function messagesOf({ type, message, summary, content }: PiEntry): readonly unknown[] {
  if (type === "message") return [message];
  if (type === "compaction" || type === "branch_summary") return [{ role: type, summary }];
  return type === "custom_message" ? [{ role: "custom", content }] : [];
}

function modelOf({ type, provider, modelId, message }: PiEntry): Context["model"] | undefined {
  if (type === "model_change") return { provider: provider as string, modelId: modelId as string };
  const { role, provider: ofReply, model } = (message ?? {}) as Readonly<Record<string, string>>;
  return role === "assistant" ? { provider: ofReply as string, modelId: model as string } : undefined;
}

function copyRange(source: number, target: number, from: number, to: number): void {
  const bytes = Buffer.allocUnsafeSlow(Math.min(block, to - from));
  for (let at = from; at < to; ) {
    const length = readSync(source, bytes, 0, Math.min(bytes.length, to - at), at);
    writeSync(target, bytes, 0, length);
    at += length;
  }
}

function created(folder: string): string {
  const header = { type: "session", version: 3, id: "least", timestamp: new Date().toISOString(), cwd: folder };
  writeFileSync(pathIn(folder), `${JSON.stringify(header)}\n`);
  return pathIn(folder);
}

function pathIn(folder: string): string {
  return join(folder, "least-work.jsonl");
}
