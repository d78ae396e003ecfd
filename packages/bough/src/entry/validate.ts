import { SessionError } from "../errors.ts";
import type { EntryDraft, SessionTreeEntry } from "./entry.ts";
import { kindOf } from "./kind.ts";
import { contextMessage, storedMessage, systemMessage, usage, userContent } from "./message-rules.ts";
import {
  anything,
  count,
  flag,
  kind,
  list,
  name,
  optional,
  orNull,
  type Problem,
  type Rule,
  record,
  text,
} from "./rule.ts";

const bodies: ReadonlyMap<string, Rule> = new Map([
  ["message", record({ message: storedMessage, native: optional(record({ format: name, value: anything })) })],
  [
    "compaction",
    record({
      summary: text,
      firstKeptEntryId: optional(name),
      retainedTail: optional(list(contextMessage)),
      tokensBefore: count,
      tokensAfter: optional(count),
      usage: optional(usage),
      systemMessage: optional(systemMessage),
      state: optional(
        record({
          model: orNull(record({ provider: text, modelId: text })),
          thinkingLevel: name,
          activeToolNames: orNull(list(text)),
          injectedRules: list(text),
        }),
      ),
      fromHook: optional(flag),
    }),
  ],
  ["branch_summary", record({ fromId: name, summary: text, usage: optional(usage), fromHook: optional(flag) })],
  ["custom_message", record({ customType: name, content: userContent, display: flag })],
  ["custom", record({ customType: name })],
  ["model_change", record({ provider: name, modelId: name, model: optional(name), role: optional(name) })],
  ["thinking_level_change", record({ thinkingLevel: name })],
  ["active_tools_change", record({ activeToolNames: list(text) })],
  ["context_edit", record({ targetId: name, replacement: orNull(record({ content: anything })) })],
  ["session_init", record({ systemPrompt: text, task: text, tools: list(text) })],
  ["ttsr_injection", record({ injectedRules: list(text) })],
  ["reset_boundary", record({})],
  ["label", record({ targetId: name, label: optional(text) })],
  ["session_info", record({ name: optional(text) })],
  ["leaf", record({ targetId: orNull(name) })],
  ["usage", record({ kind: name, provider: text, model: text, usage, note: optional(text) })],
  [
    "model_usage",
    record({ purpose: optional(text), provider: optional(text), model: optional(text), usage: optional(usage) }),
  ],
  ["title_change", record({ title: text })],
  ["credential_pin", record({ provider: text, hash: text })],
]);

/** What a file says beside its entries, and what stands for an entry that can't be read. */
const notEntries: ReadonlySet<unknown> = new Set(["session", "damaged"]);
const entryType = kind("the type of an entry", (value) => name(value) === undefined && !notEntries.has(value));

const isoPattern = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;
/** The last time that was found right: entries come many in a millisecond. */
let rightTime = "";
const isoTime = kind("a time as ISO 8601 writes it", (value) => {
  if (value === rightTime) return true;
  if (typeof value !== "string" || !isoPattern.test(value) || Number.isNaN(Date.parse(value))) return false;
  rightTime = value;
  return true;
});

const draft = record({ type: entryType });
const base = record({ type: entryType, id: name, parentId: orNull(name), timestamp: isoTime });

/** Throws `invalid_entry` with the first field that is wrong. Of a type bough doesn't know only the base is looked at. */
export function validateEntry(entry: SessionTreeEntry): void {
  refuse(base(entry) ?? bodies.get(entry.type)?.(entry));
}

/** The same for what a caller decides, before it has an id, a parent and a time. */
export function validateDraft(entry: EntryDraft): void {
  refuse(draft(entry) ?? bodies.get(entry.type)?.(entry));
}

/** Throws `invalid_entry` for a draft that stands beside a conversation, and so is no child of a leaf. */
export function requireChild(entry: EntryDraft): void {
  if (kindOf(entry) === "mark") refuse({ field: "type", reason: "a mark is no child of the leaf" });
}

function refuse(found: Problem | undefined): void {
  if (found === undefined) return;
  throw new SessionError("invalid_entry", `${found.field || "The entry"}: ${found.reason}.`, found);
}
