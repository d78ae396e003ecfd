import { resolve } from "node:path";
import type { HarnessTool } from "@bough/harness";
import { bytesOf, ifAny, writeTextFile } from "./text-file.ts";
import { type ToolResult, textResult } from "./text-result.ts";

interface WriteArguments {
  readonly path: string;
  readonly content: string;
}

export function writeTool(cwd: string): HarnessTool {
  return {
    name: "write",
    label: "write",
    description: "Writes a file, in place of what it held before. Folders are made as needed.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the working directory or absolute" },
        content: { type: "string", description: "All that the file is to hold" },
      },
      required: ["path", "content"],
    },
    replay: "probe",
    execute: async (_, args: WriteArguments) => {
      if (/[\\/]$/.test(args.path)) throw new Error(`${args.path} names a folder.`);
      await writeTextFile(resolve(cwd, args.path), args.content);
      return written(args);
    },
    // A file is written whole or not at all, so that what it holds tells whether it was.
    probe: async (params) => {
      const args = params as WriteArguments;
      const bytes = await ifAny(resolve(cwd, args.path), bytesOf);
      return bytes?.equals(Buffer.from(args.content)) ? written(args) : "not_started";
    },
  };
}

function written({ path, content }: WriteArguments): ToolResult {
  return textResult(`${path} was written, ${content.length} characters.`);
}
