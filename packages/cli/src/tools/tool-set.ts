import type { HarnessTool } from "@bough/harness";
import { bashTool } from "./bash-tool.ts";
import { editTool } from "./edit-tool.ts";
import { readTool } from "./read-tool.ts";
import { writeTool } from "./write-tool.ts";

/** The tools of a conversation; `cwd` says where its files are whenever one runs. */
export function toolSet(cwd: () => string): readonly HarnessTool[] {
  return [readTool(cwd), writeTool(cwd), editTool(cwd), bashTool(cwd)];
}
