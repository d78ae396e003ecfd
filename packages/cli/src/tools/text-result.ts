import type { HarnessTool } from "@bough/harness";

export type ToolResult = Awaited<ReturnType<HarnessTool["execute"]>>;

export function textResult(
  text: string,
  more: { readonly isError?: true; readonly details?: unknown } = {},
): ToolResult {
  return { content: [{ type: "text", text }], details: undefined, ...more };
}
