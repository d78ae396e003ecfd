import type { AgentToolResult, AgentToolUpdateCallback } from "@earendil-works/pi-agent-core";
import type { HarnessTool, ToolCallInfo } from "../tools.ts";
import type { ExtensionContext } from "./extension-context.ts";

/** A tool of the harness that is told where it runs. */
export interface ExtensionTool extends Omit<HarnessTool, "execute"> {
  execute(
    toolCallId: string,
    // biome-ignore lint/suspicious/noExplicitAny: arguments are what `parameters` describes
    params: any,
    signal: AbortSignal | undefined,
    onUpdate: AgentToolUpdateCallback | undefined,
    ctx: ExtensionContext,
    call: ToolCallInfo | undefined,
  ): Promise<AgentToolResult<unknown>>;
}
