import type { AgentTool, AgentToolResult, AgentToolUpdateCallback } from "@earendil-works/pi-agent-core";
import { AgentHarnessError } from "bough";

/**
 * What becomes of a call that was started and whose outcome nobody knows, because the process died.
 * `safe`: it may be run again. `probe`: the tool itself is asked. `unsafe`: the model is told that the outcome is unknown.
 */
export type ReplayPolicy = "safe" | "unsafe" | "probe";

export interface ToolCallInfo {
  /** The same for a call however often it is run: a key for effects that shall happen once. */
  readonly key: string;
}

/** A tool of pi's agent loop that says what a crash means for it. */
export interface HarnessTool extends Omit<AgentTool<never>, "execute" | "replay" | "prepareArguments" | "parameters"> {
  readonly parameters: object;
  readonly prepareArguments?: (args: unknown) => unknown;
  /** Throws on failure, or returns a result with `isError`. Arguments have been validated. */
  execute(
    toolCallId: string,
    // biome-ignore lint/suspicious/noExplicitAny: arguments are what `parameters` describes
    params: any,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback,
    call?: ToolCallInfo,
  ): Promise<AgentToolResult<unknown>>;
  /** `unsafe` unless given. */
  readonly replay?: ReplayPolicy;
  /** What is known of an earlier run under `key`: its result, that it did nothing (`"not_started"`), or nothing at all. */
  probe?(params: unknown, call: ToolCallInfo): Promise<AgentToolResult<unknown> | "not_started" | undefined>;
}

export function requireDistinct(names: readonly string[], what: string): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(`${what} ${twice} is named twice`);
}

/** The tools of `names`, in that order. Throws `invalid_state` for names that no tool has. */
export function toolsNamed(tools: readonly HarnessTool[], names: readonly string[]): readonly HarnessTool[] {
  return names.map((name) => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (!tool) throw invalid(`there is no tool ${name}`);
    return tool;
  });
}

function invalid(reason: string): AgentHarnessError<"invalid_state"> {
  return new AgentHarnessError("invalid_state", reason, { reason });
}
