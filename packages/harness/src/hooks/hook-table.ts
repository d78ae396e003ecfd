import type { Api, Model, SimpleStreamOptions } from "@earendil-works/pi-ai";
import {
  type AgentMessage,
  type CompactionDraft,
  type CompactionPreparation,
  type CustomMessageInput,
  type EntryDraft,
  type ImageContent,
  type SessionTreeEntry,
  type TextContent,
  type Usage,
  validateCompaction,
} from "bough";
import { jsonCopy } from "bough/format";
import { draftOf, type NoteInput } from "../input.ts";
import { storableDraft } from "../storable-draft.ts";
import type { TreePreparation } from "../tree-preparation.ts";
import type { CompactionReason } from "./events.ts";

/** Handlers are asked in turn, and each sees what those before it made of the payload. */
interface Transform<Payload, Result> {
  readonly kind: "transform";
  readonly payload: Payload;
  readonly result: Result;
}

/** Handlers are asked in turn until one refuses; what the others answer is merged field by field. */
interface Veto<Payload, Result> {
  readonly kind: "veto";
  readonly payload: Payload;
  readonly result: Result;
}

/** What handlers may change, and what they are told. Answers replace, but where `hookRules` says otherwise. */
export interface HarnessHooks {
  /** The prompt is stored; the model has not been asked yet. Messages are stored after it, the prompt text lasts for the run. */
  before_agent_start: Transform<
    { readonly prompt: string; readonly images: readonly ImageContent[]; readonly systemPrompt: string },
    { message?: CustomMessageInput; messages?: readonly CustomMessageInput[]; systemPrompt?: string }
  >;
  /** Before every request; the answer counts for that request only. */
  context: Transform<{ readonly messages: readonly AgentMessage[] }, { messages?: readonly AgentMessage[] }>;
  /** A member that is undefined takes an option away. */
  before_provider_request: Transform<
    { readonly model: Model<Api>; readonly sessionId: string; readonly streamOptions: SimpleStreamOptions },
    { streamOptions?: Partial<SimpleStreamOptions> }
  >;
  before_provider_payload: Transform<{ readonly model: Model<Api>; readonly payload: unknown }, { payload?: unknown }>;
  tool_result: Transform<ToolResultPayload, ToolResultPatch>;
  /** A handler that fails blocks the call. */
  tool_call: Veto<
    { readonly toolCallId: string; readonly toolName: string; readonly input: unknown },
    { block?: boolean; reason?: string }
  >;
  /** A compaction that the engine would refuse for what is prepared counts as a failure of the handler. */
  session_before_compact: Veto<
    {
      readonly preparation: CompactionPreparation;
      readonly branchEntries: readonly SessionTreeEntry[];
      readonly customInstructions?: string;
      readonly reason: CompactionReason;
      readonly willRetry: boolean;
      readonly signal: AbortSignal;
    },
    { cancel?: boolean; compaction?: CompactionDraft }
  >;
  /** Only where no handler of `session_before_compact` brought a compaction. */
  "session.compacting": Transform<
    { readonly sessionId: string; readonly messages: readonly AgentMessage[] },
    { context?: readonly string[]; prompt?: string; preserveData?: unknown }
  >;
  /** A summary is used only if the user asked for one. */
  session_before_tree: Veto<
    { readonly preparation: TreePreparation; readonly signal: AbortSignal },
    {
      cancel?: boolean;
      summary?: { readonly summary: string; readonly details?: unknown; readonly usage?: Usage };
      customInstructions?: string;
      replaceInstructions?: boolean;
      label?: string;
    }
  >;
  session_before_switch: Veto<
    { readonly reason: "new" | "resume"; readonly targetSessionFile?: string },
    { cancel?: boolean }
  >;
  session_before_fork: Veto<{ readonly entryId: string; readonly position: "before" | "at" }, { cancel?: boolean }>;
  session_before_branch: Veto<{ readonly entryId: string }, { cancel?: boolean }>;
}

export interface ToolResultPayload {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details: unknown;
  readonly isError: boolean;
  readonly usage?: Usage;
}

export interface ToolResultPatch {
  content?: readonly (TextContent | ImageContent)[];
  details?: unknown;
  isError?: boolean;
  usage?: Usage;
  /** Ends the run after this turn if every result of the turn says so. */
  terminate?: boolean;
}

export type HookName = keyof HarnessHooks;
export type HookPayload<K extends HookName> = HarnessHooks[K]["payload"];
export type HookResult<K extends HookName> = HarnessHooks[K]["result"];

/** What becomes of one field of an answer. */
export interface FieldRule {
  /** The field it joins, if not its own. */
  readonly as?: string;
  /** Whether a handler may say this to what it was told; may throw why not. */
  readonly accepts: (answer: unknown, payload: object) => boolean;
  /** `before`: what handlers said already, else what the payload says. */
  readonly merge: (before: unknown, answer: unknown) => unknown;
}

type Accepts = FieldRule["accepts"];

const isAnything: Accepts = () => true;
const isData: Accepts = (answer) => jsonCopy({ answer }) !== undefined;
const isText: Accepts = (answer) => typeof answer === "string";
const isFlag: Accepts = (answer) => typeof answer === "boolean";
const isRecord = (answer: unknown): answer is Record<string, unknown> => typeof answer === "object" && answer !== null;
const isListOf = (accepts: Accepts) => (answer: unknown, payload: object) =>
  Array.isArray(answer) && answer.every((member) => accepts(member, payload));
const isMessage: Accepts = (answer) => isRecord(answer) && typeof answer.role === "string";
const isBlock: Accepts = (answer) => isRecord(answer) && typeof answer.type === "string";
const isNote: Accepts = (answer) => isRecord(answer) && draftOf(answer as NoteInput, 0).type.startsWith("custom");
const isBranchSummary: Accepts = (answer) => {
  if (!isRecord(answer)) return false;
  storableDraft({ ...answer, type: "branch_summary", fromId: "any" } as unknown as EntryDraft);
  return true;
};
/** What the engine would refuse fails its handler here, so that there is still a compaction. */
const isCompaction: Accepts = (answer, payload) => {
  if (!isRecord(answer)) return false;
  const { preparation } = payload as HookPayload<"session_before_compact">;
  validateCompaction(preparation, { ...(answer as unknown as CompactionDraft), fromHook: true });
  return true;
};

const replace = (accepts: Accepts): FieldRule => ({ accepts, merge: (_, answer) => answer });
const patch = (accepts: Accepts): FieldRule => ({
  accepts,
  merge: (before, answer) => ({ ...(before as object), ...(answer as object) }),
});
const append = (accepts: Accepts): FieldRule => ({ accepts, merge: (before, answer) => [before ?? [], answer].flat() });

export interface HookRule<K extends HookName = HookName> {
  readonly kind: HarnessHooks[K]["kind"];
  readonly fields: { readonly [F in keyof Required<HookResult<K>>]: FieldRule };
  /** The field that refuses. */
  readonly stop?: string;
  /** What a handler that throws or takes too long is taken to have said; nothing, unless given. */
  readonly onFailure?: HookResult<K>;
}

/** The one place that says which hooks there are and how answers combine. */
export const hookRules: { readonly [K in HookName]: HookRule<K> } = {
  before_agent_start: {
    kind: "transform",
    fields: {
      message: { ...append(isNote), as: "messages" },
      messages: append(isListOf(isNote)),
      systemPrompt: replace(isText),
    },
  },
  context: { kind: "transform", fields: { messages: replace(isListOf(isMessage)) } },
  before_provider_request: { kind: "transform", fields: { streamOptions: patch(isRecord) } },
  before_provider_payload: { kind: "transform", fields: { payload: replace(isAnything) } },
  tool_result: {
    kind: "transform",
    fields: {
      content: replace(isListOf(isBlock)),
      details: replace(isAnything),
      isError: replace(isFlag),
      usage: replace(isRecord),
      terminate: replace(isFlag),
    },
  },
  tool_call: {
    kind: "veto",
    stop: "block",
    fields: { block: replace(isFlag), reason: replace(isText) },
    onFailure: { block: true, reason: "A check that must pass before this tool may run has failed." },
  },
  session_before_compact: {
    kind: "veto",
    stop: "cancel",
    fields: { cancel: replace(isFlag), compaction: replace(isCompaction) },
  },
  "session.compacting": {
    kind: "transform",
    fields: { context: append(isListOf(isText)), prompt: replace(isText), preserveData: replace(isData) },
  },
  session_before_tree: {
    kind: "veto",
    stop: "cancel",
    fields: {
      cancel: replace(isFlag),
      summary: replace(isBranchSummary),
      customInstructions: replace(isText),
      replaceInstructions: replace(isFlag),
      label: replace(isText),
    },
  },
  session_before_switch: { kind: "veto", stop: "cancel", fields: { cancel: replace(isFlag) } },
  session_before_fork: { kind: "veto", stop: "cancel", fields: { cancel: replace(isFlag) } },
  session_before_branch: { kind: "veto", stop: "cancel", fields: { cancel: replace(isFlag) } },
};
