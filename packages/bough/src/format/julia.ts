import type { SessionTreeEntry } from "../entry/entry.ts";
import { withExactNumbers } from "../entry/exact-numbers.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader } from "../entry/header.ts";
import { isJsonObject, type JsonObject } from "../entry/json.ts";
import { kindOf } from "../entry/kind.ts";

/*
 * The Julia form is version 3 with snake_case names, inside messages too, and a header of its own. Names are translated
 * by what is known, never by their spelling: the keys of tool arguments, details, data and schemas are the
 * application's and stay, and so both directions undo each other.
 */
interface Shape {
  /** Names that differ between the forms, in camelCase. */
  readonly names: readonly string[];
  /** Values that have names of their own; of an array each item. */
  readonly within?: Readonly<Record<string, Shape>>;
}

const cost: Shape = { names: ["cacheRead", "cacheWrite"] };
const usage: Shape = { names: ["cacheRead", "cacheWrite", "totalTokens"], within: { cost } };
const block: Shape = { names: ["textSignature", "thinkingSignature", "thoughtSignature", "mimeType"] };
const message: Shape = {
  names: [
    ...["toolCallId", "toolName", "isError", "stopReason", "errorMessage", "customType", "toolsAdded", "toolsRemoved"],
    ...["exitCode", "fullOutputPath", "excludeFromContext", "fromId", "tokensBefore"],
  ],
  within: { content: block, usage },
};
const state: Shape = {
  names: ["thinkingLevel", "activeToolNames", "injectedRules"],
  within: { model: { names: ["modelId"] } },
};
const entry: Shape = {
  names: [
    ...["parentId", "thinkingLevel", "modelId", "activeToolNames", "firstKeptEntryId", "tokensBefore", "tokensAfter"],
    ...["retainedTail", "preserveData", "systemMessage", "fromHook", "fromId", "customType", "targetId"],
    ...["systemPrompt", "outputSchema", "injectedRules"],
  ],
  within: {
    message,
    retainedTail: message,
    systemMessage: message,
    usage,
    content: block,
    state,
    replacement: { names: [], within: { content: block } },
  },
};
const unknownEntry: Shape = { names: ["parentId"] };
const header: Shape = { names: ["parentSession", "parentSessionId", "inheritedEntries", "modelId", "thinkingLevel"] };

/** Julia writes `nothing` as null where the other forms leave a field out. */
const neverNull = ["firstKeptEntryId", "retainedTail", "tokensAfter", "systemMessage", "usage", "fromHook"];
const blankIfNull: ReadonlySet<string> = new Set([...neverNull, "state", "label", "name"]);

export function isJuliaHeader(record: JsonObject): boolean {
  return typeof record.created_at === "string" && record.timestamp === undefined && record.version === undefined;
}

export function fromJuliaHeader(record: JsonObject): JsonObject {
  const { type, id, created_at, ...rest } = record;
  return { type, version: CURRENT_SESSION_VERSION, id, timestamp: created_at, ...renamed(rest, header, "import") };
}

/** `path`: where the session will be kept, as that form's header says. */
export function toJuliaHeader(stored: SessionHeader, path?: string): JsonObject {
  const { type, version: _, id, timestamp, cwd, ...rest } = stored;
  const place = path === undefined ? {} : { path };
  return { type, id, created_at: timestamp, cwd, ...renamed(rest, header, "export"), ...place };
}

export function fromJulia(record: JsonObject): JsonObject {
  const read = renamed(record, shapeOf(record), "import");
  if (!Object.entries(read).some(isBlank)) return read;
  return withExactNumbers(read, Object.fromEntries(Object.entries(read).filter((field) => !isBlank(field))));
}

export function toJulia(stored: SessionTreeEntry): JsonObject {
  const record: JsonObject = { ...stored };
  return renamed(record, shapeOf(record), "export");
}

function shapeOf(record: JsonObject): Shape {
  return typeof record.type === "string" && kindOf({ type: record.type }) === "unknown" ? unknownEntry : entry;
}

function isBlank([name, value]: [string, unknown]): boolean {
  return value === null && blankIfNull.has(name);
}

type Direction = "import" | "export";

/** A name stays as it is where its translation is taken, so that no field replaces another. */
function renamed(record: JsonObject, shape: Shape, direction: Direction): JsonObject {
  const translate = translations(shape, direction);
  const nameOf = (name: string) => {
    const translated = translate.get(name) ?? name;
    return Object.hasOwn(record, translated) ? name : translated;
  };
  const fields = Object.entries(record).map(([name, value]) => {
    const camel = direction === "import" ? (translate.get(name) ?? name) : name;
    const within = shape.within !== undefined && Object.hasOwn(shape.within, camel) ? shape.within[camel] : undefined;
    return [nameOf(name), within === undefined ? value : renamedValue(value, within, direction)] as const;
  });
  return withExactNumbers(record, Object.fromEntries(fields), nameOf);
}

function renamedValue(value: unknown, shape: Shape, direction: Direction): unknown {
  if (Array.isArray(value)) return value.map((item) => (isJsonObject(item) ? renamed(item, shape, direction) : item));
  return isJsonObject(value) ? renamed(value, shape, direction) : value;
}

const known = new WeakMap<Shape, Readonly<Record<Direction, ReadonlyMap<string, string>>>>();

function translations(shape: Shape, direction: Direction): ReadonlyMap<string, string> {
  let both = known.get(shape);
  if (both === undefined) {
    const pairs = shape.names.map((name): [string, string] => [name, snakeCase(name)]);
    both = { export: new Map(pairs), import: new Map(pairs.map(([camel, snake]) => [snake, camel])) };
    known.set(shape, both);
  }
  return both[direction];
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
