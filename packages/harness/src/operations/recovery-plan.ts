import type { AssistantMessage, SessionTreeEntry, ToolCall } from "bough";
import type { ReplayPolicy } from "../tools.ts";
import type { OperationRecord, ToolIntent } from "./operation.ts";

/** A run that was begun and never ended, at the place one stands. */
export interface InterruptedRun {
  readonly op: string;
  /** How often it was begun or taken up, each time to the end of the process. */
  readonly attempts: number;
}

/** What is done about a call without a result. */
export type CallAction =
  /** Its run had begun and it hadn't: nothing was done. */
  | { readonly kind: "not_started" }
  | { readonly kind: "rerun"; readonly intent: IntentRecord }
  | { readonly kind: "probe"; readonly intent: IntentRecord }
  /** It may have taken effect. */
  | { readonly kind: "unknown"; readonly intent?: IntentRecord };

export interface OpenCall {
  readonly call: ToolCall;
  readonly action: CallAction;
}

export interface IntentRecord extends ToolIntent {
  /** Names the effect, however often it is tried. */
  readonly key: string;
}

export interface RecoveryPlan {
  readonly run?: InterruptedRun;
  /** How that run is over, what is to be written down: its answer is there, or it was tried too often. */
  readonly settled?: "found_answered" | "parked";
  /** Whether the last run here was tried too often, and nobody has said anything since. */
  readonly isParked: boolean;
  /** Of the last reply on the path, in its order. */
  readonly calls: readonly OpenCall[];
}

export interface RecoveryGround {
  readonly operations: readonly OperationRecord[];
  /** The path to the leaf, or as much of it as contexts depend on. */
  readonly path: readonly SessionTreeEntry[];
  /** Whether an entry lies on the whole path. */
  readonly isOnPath: (id: string) => boolean;
  readonly has: (id: string) => boolean;
  /** What the tool of a name says today; undefined if there is none. */
  readonly policyOf: (toolName: string) => ReplayPolicy | undefined;
  readonly maxAttempts: number;
}

/** What there is to do where a process died. A pure function of what is stored and of today's tools. */
export function planRecovery(ground: RecoveryGround): RecoveryPlan {
  const { last, ending, run } = lastRun(ground);
  const tooOften = run !== undefined && run.attempts >= ground.maxAttempts;
  const reply = lastReply(ground.path);
  const actionOf = (call: ToolCall) =>
    reply ? actionFor(call, reply, run, tooOften, ground) : { kind: "unknown" as const };
  const calls = reply ? openCalls(reply).map((call) => ({ call, action: actionOf(call) })) : [];
  const settled = run && (tooOften ? "parked" : isAnswered(ground.path) ? "found_answered" : undefined);
  const isParked = last !== undefined && (settled ?? ending) === "parked";
  return { ...(run && { run }), ...(settled && { settled }), isParked, calls };
}

/** The last run that began on this path. A run belongs to the place where it began: from another branch it is not seen. */
function lastRun({ operations, isOnPath }: RecoveryGround) {
  const last = operations.findLast(({ name, parentId }) => {
    return name === "op_start" && parentId !== null && isOnPath(parentId);
  });
  if (!last) return {};
  const op = last.id;
  const end = operations.find(({ name, data }) => name === "op_end" && data.op === op);
  if (end?.name === "op_end") return { last, ending: end.data.outcome };
  const resumed = operations.filter(({ name, data }) => name === "op_resume" && data.op === op);
  return { last, run: { op, attempts: 1 + resumed.length } };
}

interface LastReply {
  readonly id: string;
  readonly message: AssistantMessage;
  /** Calls that have a result after it, as often as they have one. */
  readonly answered: readonly string[];
}

/** The reply that the path ends with, but for its results and for state; none if somebody spoke since. */
function lastReply(path: readonly SessionTreeEntry[]): LastReply | undefined {
  const answered: string[] = [];
  for (const entry of path.toReversed()) {
    if (entry.type === "custom_message" || entry.type === "compaction" || entry.type === "branch_summary")
      return undefined;
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "toolResult") answered.push(message.toolCallId);
    else if (message.role !== "assistant") return undefined;
    else return { id: entry.id, message, answered };
  }
  return undefined;
}

const failures: ReadonlySet<string> = new Set(["error", "aborted"]);

function openCalls({ message, answered }: LastReply): readonly ToolCall[] {
  if (failures.has(message.stopReason)) return [];
  const results = [...answered];
  return message.content.filter((block) => {
    if (block.type !== "toolCall") return false;
    const at = results.indexOf(block.id);
    if (at !== -1) results.splice(at, 1);
    return at === -1;
  }) as readonly ToolCall[];
}

function actionFor(
  call: ToolCall,
  reply: LastReply,
  run: InterruptedRun | undefined,
  parked: boolean,
  { operations, has, policyOf }: RecoveryGround,
): CallAction {
  const found = operations.findLast(
    ({ name, data }) => name === "tool_intent" && data.reply === reply.id && data.toolCallId === call.id,
  );
  // Without a run of ours nobody says when its tools begin.
  if (found?.name !== "tool_intent") return { kind: run ? "not_started" : "unknown" };
  const intent = { ...found.data, key: found.id };
  if (has(intent.result)) return { kind: "unknown" };
  const today = policyOf(call.name);
  const wasRunAgain = operations.some(({ name, data }) => name === "op_resume" && data.calls.includes(intent.result));
  if (run === undefined || parked) return { kind: "unknown", intent };
  if (intent.replay === "safe" && today === "safe" && !wasRunAgain) return { kind: "rerun", intent };
  if (today === "probe" && intent.replay !== "unsafe") return { kind: "probe", intent };
  return { kind: "unknown", intent };
}

function isAnswered(path: readonly SessionTreeEntry[]): boolean {
  const reply = lastReply(path);
  if (!reply || failures.has(reply.message.stopReason)) return false;
  return !reply.message.content.some((block) => block.type === "toolCall");
}
