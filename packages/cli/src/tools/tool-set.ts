import type { HarnessTool } from "@bough/harness";
import { bashTool } from "./bash-tool.ts";
import { editTool } from "./edit-tool.ts";
import { readTool } from "./read-tool.ts";
import type { ToolPolicy } from "./tool-gate.ts";
import { writeTool } from "./write-tool.ts";

/** The tools that a conversation in `cwd` has. */
export function toolSet(cwd: string): readonly HarnessTool[] {
  return [readTool(cwd), writeTool(cwd), editTool(cwd), bashTool(cwd)];
}

/** What changes something is asked for first. */
export const usualPolicies: Readonly<Record<string, ToolPolicy>> = {
  read: "allow",
  write: "ask",
  edit: "ask",
  bash: "ask",
};
