import { type BatchItem, type EntryDraft, type SessionTreeEntry, validateDraft } from "bough";
import type { RunStatus } from "../hooks/events.ts";
import type { ReplayPolicy } from "../tools.ts";

/*
 * What a harness writes down besides the conversation, so that another process can go on where this one died. All of
 * it are marks of bough's own types: no part of any path, nothing a model sees. A session is whole without them; what
 * is lost with them is only the knowledge of what was under way.
 *
 * Each says beforehand under which id its effect will be stored. Whether it happened is therefore no second record
 * that could be missing: it happened if that entry is there.
 */
export interface Operations {
  /** A run began. Its mark's id names the run, its place is where the run started. */
  readonly op_start: { readonly kind: "prompt" | "continue"; readonly inputs: readonly string[] };
  /**
   * The run of `op` is over. `answered`: and what was queued before it waits no more, but for `waiting`, the entries that
   * are still to be said. `found_answered`: its answer was there, and the process gone. `parked`: it had ended its process
   * too often. `superseded`: another was begun instead.
   */
  readonly op_end: {
    readonly op: string;
    readonly outcome: RunStatus | "found_answered" | "parked" | "superseded";
    readonly answer?: string;
    readonly waiting?: readonly string[];
  };
  /** A process that found the run of `op` unfinished takes it up. `calls`: tool results it is about to make again. */
  readonly op_resume: { readonly op: string; readonly calls: readonly string[] };
  /** A tool is about to run. */
  readonly tool_intent: ToolIntent;
  /** Something waits to be said, and will be the entry `entryId`. */
  readonly queue: { readonly queue: QueueName; readonly entryId: string; readonly draft: EntryDraft };
  /** What was to be said won't be. */
  readonly queue_cleared: { readonly entryIds: readonly string[] };
}

export interface ToolIntent {
  readonly op: string;
  /** The reply that made the call. */
  readonly reply: string;
  readonly toolCallId: string;
  readonly toolName: string;
  /** As they were handed to the tool. */
  readonly args: unknown;
  readonly replay: ReplayPolicy;
  /** The id of the result to come. */
  readonly result: string;
}

export type QueueName = "steer" | "followUp" | "nextTurn";
export type OperationName = keyof Operations;

export type OperationRecord = {
  [K in OperationName]: { readonly name: K; readonly id: string; readonly parentId: string | null } & {
    readonly data: Operations[K];
  };
}[OperationName];

const prefix = "bough.";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const areTexts: Check = (value) => Array.isArray(value) && value.every(isText);

/** What the data of each has at the least: a mark that somebody else wrote may hold anything. */
const shapes: { readonly [K in OperationName]: Readonly<Record<string, Check>> } = {
  op_start: { kind: isText, inputs: areTexts },
  op_end: { op: isText, outcome: isText },
  op_resume: { op: isText, calls: areTexts },
  tool_intent: { op: isText, reply: isText, toolCallId: isText, toolName: isText, replay: isText, result: isText },
  queue: { queue: isText, entryId: isText, draft: isDraft },
  queue_cleared: { entryIds: areTexts },
};

function isDraft(value: unknown): boolean {
  try {
    validateDraft(value as EntryDraft);
    return true;
  } catch {
    return false;
  }
}

export function operation<K extends OperationName>(name: K, data: Operations[K], id?: string): BatchItem {
  return { kind: "operation", name, data, ...(id !== undefined && { id }) };
}

export function operationType(name: OperationName): string {
  return prefix + name;
}

export function isOperationType(customType: string | undefined): boolean {
  return customType?.startsWith(prefix) === true && Object.hasOwn(shapes, customType.slice(prefix.length));
}

/** What an entry says as an operation; undefined for any other entry, and for one that lacks what the operation needs. */
export function operationIn(entry: SessionTreeEntry | undefined): OperationRecord | undefined {
  if (entry?.type !== "custom" || !isOperationType(entry.customType)) return undefined;
  const { customType, id, parentId, data } = entry;
  if (typeof data !== "object" || data === null) return undefined;
  const name = customType.slice(prefix.length) as OperationName;
  const isWhole = Object.entries(shapes[name]).every(([field, fits]) => fits((data as Record<string, unknown>)[field]));
  return isWhole ? ({ name, id, parentId, data } as OperationRecord) : undefined;
}
