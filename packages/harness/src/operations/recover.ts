import type { AgentToolResult } from "@earendil-works/pi-agent-core";
import type { BatchItem, EntryDraft, Session, ToolCall, ToolResultMessage } from "bough";
import { resultMessage } from "../result-message.ts";
import type { HarnessTool } from "../tools.ts";
import { operation } from "./operation.ts";
import type { Operations } from "./read-operations.ts";
import {
  type CallAction,
  type InterruptedRun,
  type OpenCall,
  planRecovery,
  type RecoveryPlan,
} from "./recovery-plan.ts";

/** What became of a call that had no result. */
export type CallOutcome = "not_started" | "rerun" | "probed" | "unknown";

/** What a harness found when it took a session up. */
export interface Recovery {
  /** `interrupted`: a run can be taken up with `continue`. `parked`: it ended its process too often to be. */
  readonly status: "clean" | "interrupted" | "parked";
  readonly calls: readonly { readonly toolCallId: string; readonly toolName: string; readonly outcome: CallOutcome }[];
}

export interface Recovered {
  readonly report: Recovery;
  /** To be taken up. */
  readonly run?: InterruptedRun & { readonly counted: boolean };
}

/** Closes what a process that died left open at the leaf. Writes nothing where nothing is. */
export async function recover(
  session: Session,
  operations: Operations,
  tools: readonly HarnessTool[],
  maxAttempts: number,
): Promise<Recovered> {
  const plan = await planAt(session, operations, tools, maxAttempts);
  const { run, settled, isParked, calls } = plan;
  const effects = calls.flatMap(({ action }) => (action.kind === "rerun" || action.kind === "probe" ? [action] : []));
  const counted = run !== undefined && effects.length > 0;
  if (counted) {
    const reruns = effects.filter(({ kind }) => kind === "rerun").map(({ intent }) => intent.result);
    await session.appendBatch([operation("op_resume", { op: run.op, calls: reruns })]);
  }
  const outcomes: Recovery["calls"][number][] = [];
  for (const open of calls) {
    const { outcome, item } = await closed(open, tools);
    await session.appendBatch([item]);
    outcomes.push({ toolCallId: open.call.id, toolName: open.call.name, outcome });
  }
  if (run && settled) await session.appendBatch([operation("op_end", { op: run.op, outcome: settled })]);
  const isOpen = run !== undefined && settled === undefined;
  const status = isParked ? "parked" : isOpen ? "interrupted" : "clean";
  return { report: { status, calls: outcomes }, ...(isOpen && { run: { ...run, counted } }) };
}

export async function planAt(
  session: Session,
  operations: Operations,
  tools: readonly HarnessTool[],
  maxAttempts: number,
): Promise<RecoveryPlan> {
  const { records, seen, onPath } = operations;
  return planRecovery({
    operations: records,
    path: await session.getActivePath(),
    isOnPath: (id) => onPath.has(id),
    has: (id) => seen.has(id),
    policyOf: (name) => policyOf(tools.find((tool) => tool.name === name)),
    maxAttempts,
  });
}

function policyOf(tool: HarnessTool | undefined) {
  if (tool?.replay === "probe") return tool.probe ? "probe" : "unsafe";
  return tool && (tool.replay ?? "unsafe");
}

const words: Readonly<Record<"not_started" | "unknown", string>> = {
  not_started: "Not carried out: the agent stopped before this call began. Call again if it is still needed.",
  unknown:
    "The agent stopped while this call was under way. Whether it took effect is not known: look before calling again.",
};

async function closed({ call, action }: OpenCall, tools: readonly HarnessTool[]) {
  const found = await foundOut(call, action, tools);
  const outcome: CallOutcome = found.outcome;
  const message: ToolResultMessage = "result" in found ? found.result : explained(call, found.outcome);
  const draft: EntryDraft = { type: "message", message };
  const id = "intent" in action ? action.intent?.result : undefined;
  const item: BatchItem = { kind: "child", draft, ...(id !== undefined && { id }) };
  return { outcome, item };
}

type Found =
  | { readonly outcome: "rerun" | "probed"; readonly result: ToolResultMessage }
  | { readonly outcome: "not_started" | "unknown" };

async function foundOut(call: ToolCall, action: CallAction, tools: readonly HarnessTool[]): Promise<Found> {
  if (action.kind === "not_started" || action.kind === "unknown") return { outcome: action.kind };
  const { args, key } = action.intent;
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) return { outcome: "unknown" };
  if (action.kind === "rerun") {
    const result = await settledResult(() => tool.execute(call.id, args, undefined, undefined, { key }));
    return { outcome: "rerun", result: resultOf(call, result) };
  }
  const known = await tool.probe?.(args, { key }).catch(() => undefined);
  if (known === "not_started") return { outcome: "not_started" };
  return known
    ? { outcome: "probed", result: resultOf(call, { result: known, isError: known.isError === true }) }
    : { outcome: "unknown" };
}

interface Settled {
  readonly result: AgentToolResult<unknown>;
  readonly isError: boolean;
}

async function settledResult(run: () => Promise<AgentToolResult<unknown>>): Promise<Settled> {
  try {
    const result = await run();
    return { result, isError: result.isError === true };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { result: { content: [{ type: "text", text }], details: undefined }, isError: true };
  }
}

function resultOf({ id, name }: ToolCall, { result, isError }: Settled): ToolResultMessage {
  return resultMessage({ toolCallId: id, toolName: name, result, isError });
}

function explained({ id, name }: ToolCall, outcome: "not_started" | "unknown"): ToolResultMessage {
  const result = { content: [{ type: "text" as const, text: words[outcome] }], details: { recovered: outcome } };
  return resultMessage({ toolCallId: id, toolName: name, result, isError: true });
}
