import type { HarnessTool } from "@bough/harness";
import { bashTool } from "./bash-tool.ts";
import { editTool } from "./edit-tool.ts";
import { readTool } from "./read-tool.ts";
import { writeTool } from "./write-tool.ts";

/** The tools of a conversation about the files in `cwd`. */
export function toolSet(cwd: string): readonly HarnessTool[] {
  return [readTool(cwd), writeTool(cwd), editTool(cwd), bashTool(cwd)];
}
