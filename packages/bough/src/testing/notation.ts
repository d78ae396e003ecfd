import type { SessionTreeEntry } from "../entry/entry.ts";
import { type EntryHead, headOf } from "../entry/head.ts";

/**
 * Two small notations for sessions in tests.
 *
 * `expand` and `records` take one record a line, time going up one second a record: `H()` header, `U(id,parent,"text")`
 * user, `A(id,parent,"text")` assistant, `C(id,parent,call,…)` tool calls, `R(id,parent,call,"text")` tool result,
 * `K(id,parent,kept,"summary")` compaction, `B(id,parent,from,"summary")` branch summary, `L(id,parent,target,"label")`,
 * `N(id,parent,"name")`, `M(id,parent,"provider/model")`, `X(id,parent,"type",{json})` custom, `P(id,parent,target)`
 * leaf. A parent or target `-` is null, `"2500 chars"` is a text of that length, and every record takes options such as
 * `ts:+600`, `stop:aborted`, `usage:12` or `usage:none`, `cost:0.1`, `name:tool`, `thinking:signature`.
 *
 * `tree` draws only the shape: `a b(c d) e` is the chain a ← b ← e with a side branch b ← c ← d. `-` starts a new
 * root, `x:label>a` is an entry of another type with a target, `x>a` is short for a leaf entry.
 */
export function expand(text: string): string {
  return records(text).reduce((jsonl, record) => `${jsonl}${JSON.stringify(record)}\n`, "");
}

/** The same records as objects. */
export function records(text: string): SessionRecord[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").map(record);
}

/** The entries among `records(text)`, without headers. */
export function entriesOf(text: string): SessionTreeEntry[] {
  return records(text).filter((record) => record.type !== "session") as unknown as SessionTreeEntry[];
}

/** Their heads, as a log would hand them out. */
export function headsOf(text: string): EntryHead[] {
  return entriesOf(text).map(headOf);
}

export interface SessionRecord {
  readonly type: string;
  readonly [member: string]: unknown;
}

const options = ["ts", "stop", "usage", "cost", "name", "thinking", "id", "parentSession", "cwd", "v"] as const;
type Options = { readonly [name in (typeof options)[number]]?: string };

interface Line {
  readonly fields: readonly string[];
  readonly options: Options;
  readonly timestamp: string;
}

const epoch = Date.UTC(2026, 0, 1);

function record(source: string, index: number): SessionRecord {
  const [, letter = "", body = ""] = /^([A-Z])\((.*)\)$/s.exec(source) ?? [];
  const make = makers[letter];
  if (!make) throw new SyntaxError(`no record: ${source}`);
  const { fields, options } = arranged(fieldsOf(body));
  const seconds = options.ts === undefined ? index : Number(options.ts);
  return make({ fields, options, timestamp: new Date(epoch + seconds * 1000).toISOString() });
}

function arranged(all: readonly string[]): Pick<Line, "fields" | "options"> {
  const isOption = (field: string) => options.some((name) => field.startsWith(`${name}:`));
  const pairs = all.filter(isOption).map((field) => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon), field.slice(colon + 1)];
  });
  return { fields: all.filter((field) => !isOption(field)), options: Object.fromEntries(pairs) as Options };
}

/** Splits at commas outside of strings and brackets. */
function fieldsOf(body: string): string[] {
  const fields: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const char = body[at] as string;
    if (char === '"') at = endOfString(body, at);
    else if ("{[(".includes(char)) depth++;
    else if ("}])".includes(char)) depth--;
    else if (char === "," && depth === 0) {
      fields.push(body.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = body.slice(start).trim();
  return last === "" ? fields : [...fields, last];
}

function endOfString(body: string, start: number): number {
  let at = start + 1;
  while (at < body.length && body[at] !== '"') at += body[at] === "\\" ? 2 : 1;
  return at;
}

const makers: Readonly<Record<string, (line: Line) => SessionRecord>> = {
  H: ({ options, timestamp }) => ({
    type: "session",
    version: Number(options.v ?? 3),
    id: options.id ?? "s1",
    timestamp,
    cwd: options.cwd ?? "/w/p",
    ...(options.parentSession !== undefined && { parentSession: options.parentSession }),
  }),
  U: (line) => message(line, { role: "user", content: [{ type: "text", text: textAt(line, 2) }] }),
  A: (line) => {
    const signature = line.options.thinking;
    const thinking = { type: "thinking", thinking: "…", thinkingSignature: signature };
    const text = { type: "text", text: textAt(line, 2) };
    return reply(line, signature === undefined ? [text] : [thinking, text], "stop");
  },
  C: (line) => {
    const name = line.options.name ?? "sh";
    const calls = line.fields.slice(2).map((id) => ({ type: "toolCall", id, name, arguments: {} }));
    return reply(line, calls, "toolUse");
  },
  R: (line) =>
    message(line, {
      role: "toolResult",
      toolCallId: line.fields[2],
      toolName: line.options.name ?? "sh",
      content: [{ type: "text", text: textAt(line, 3) }],
      isError: false,
    }),
  K: (line) => ({
    ...base(line, "compaction"),
    summary: textAt(line, 3),
    firstKeptEntryId: line.fields[2],
    tokensBefore: 100_000,
    ...(line.options.cost !== undefined && { usage: usageOf(line.options) }),
  }),
  B: (line) => ({ ...base(line, "branch_summary"), fromId: line.fields[2], summary: textAt(line, 3) }),
  L: (line) => ({ ...base(line, "label"), targetId: line.fields[2], label: textAt(line, 3) }),
  N: (line) => ({ ...base(line, "session_info"), name: textAt(line, 2) }),
  M: (line) => {
    const [provider, ...model] = textAt(line, 2).split("/");
    return { ...base(line, "model_change"), provider, modelId: model.join("/") };
  },
  X: (line) => ({ ...base(line, "custom"), customType: textAt(line, 2), data: JSON.parse(line.fields[3] ?? "null") }),
  P: (line) => ({ ...base(line, "leaf"), targetId: idAt(line, 2) }),
};

function base(line: Line, type: string): SessionRecord {
  return { type, id: line.fields[0], parentId: idAt(line, 1), timestamp: line.timestamp };
}

function message(line: Line, content: object): SessionRecord {
  return { ...base(line, "message"), message: { ...content, timestamp: Date.parse(line.timestamp) } };
}

function reply(line: Line, content: readonly object[], stopReason: string): SessionRecord {
  const usage = usageOf(line.options);
  const origin = { api: "messages", provider: "acme", model: "large" };
  return message(line, {
    role: "assistant",
    content,
    ...origin,
    ...(usage && { usage }),
    stopReason: line.options.stop ?? stopReason,
  });
}

function usageOf({ usage, cost }: Options): object | undefined {
  if (usage === "none") return undefined;
  const input = Number(usage ?? 0);
  return { input, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: input, cost: { total: Number(cost ?? 0) } };
}

function idAt(line: Line, index: number): string | null {
  const id = line.fields[index];
  return id === undefined || id === "-" ? null : id;
}

function textAt(line: Line, index: number): string {
  const field = line.fields[index] ?? "";
  const text = field.startsWith('"') ? (JSON.parse(field) as string) : field;
  const length = /^(\d+) chars$/.exec(text)?.[1];
  return length === undefined ? text : "lorem ipsum ".repeat(Math.ceil(Number(length) / 12)).slice(0, Number(length));
}

/** Heads of the shape that `drawing` shows, in the order written. Entries without a type are messages. */
export function tree(drawing: string): EntryHead[] {
  return entriesOfTree(drawing).map(headOf);
}

/** The entries of the shape that `drawing` shows. Ids that begin with `a` are replies, other messages are the user's. */
export function entriesOfTree(drawing: string): SessionTreeEntry[] {
  const entries: SessionTreeEntry[] = [];
  const forks: (string | null)[] = [];
  let parentId: string | null = null;
  for (const token of drawing.match(/[()]|[^\s()]+/g) ?? []) {
    if (token === "(") forks.push(parentId);
    else if (token === ")") parentId = forks.pop() ?? null;
    else if (token === "-") parentId = null;
    else {
      const entry = drawn(token, parentId, entries.length);
      entries.push(entry);
      parentId = entry.id;
    }
  }
  return entries;
}

function drawn(token: string, parentId: string | null, index: number): SessionTreeEntry {
  const [, id = "", type, target] = /^([^:>]+)(?::([^>]+))?(?:>(.+))?$/.exec(token) ?? [];
  if (id === "") throw new SyntaxError(`no entry: ${token}`);
  const entry = { id, parentId, timestamp: new Date(epoch + index * 1000).toISOString() };
  const targetId = target === "-" ? null : target;
  if (type !== undefined || target !== undefined) {
    return { type: type ?? "leaf", ...entry, ...bodyOf(type, id), ...(target !== undefined && { targetId }) } as never;
  }
  const letter = id.startsWith("a") ? "A" : "U";
  const [made] = entriesOf(`${letter}(${JSON.stringify(id)},-,${JSON.stringify(id)},ts:+${index})`);
  return { ...(made as SessionTreeEntry), id, parentId };
}

/** What an entry of the type needs beside its target. */
function bodyOf(type: string | undefined, id: string): object {
  switch (type) {
    case "label":
      return { label: id };
    case "session_info":
      return { name: id };
    case "compaction":
      return { summary: id, firstKeptEntryId: id, tokensBefore: 100_000 };
    case "branch_summary":
      return { summary: id, fromId: "root" };
    case "custom":
      return { customType: "note" };
    case "custom_message":
      return { customType: "note", content: id, display: true };
    case "model_change":
      return { provider: "acme", modelId: id };
    default:
      return {};
  }
}
