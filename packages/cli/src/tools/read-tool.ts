import { resolve } from "node:path";
import type { HarnessTool } from "@bough/harness";
import { firstLines } from "./output-limit.ts";
import { readTextFile } from "./text-file.ts";
import { textResult } from "./text-result.ts";

interface ReadArguments {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

export function readTool(cwd: string): HarnessTool {
  return {
    name: "read",
    label: "read",
    description:
      "Reads a text file. Of a long file it gives the first 2000 lines or 50,000 characters and says how to go on.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the working directory or absolute" },
        offset: { type: "integer", minimum: 1, description: "The first line to read, from 1" },
        limit: { type: "integer", minimum: 1, description: "How many lines to read" },
      },
      required: ["path"],
    },
    replay: "safe",
    execute: async (_, args: ReadArguments) => textResult(excerpt(await readTextFile(resolve(cwd, args.path)), args)),
  };
}

function excerpt(text: string, { path, offset = 1, limit }: ReadArguments): string {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  if (offset > Math.max(1, all.length)) throw new Error(`${path} has ${all.length} lines.`);
  const wanted = all.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
  const { text: shown, leftOut } = firstLines(wanted);
  const next = offset + wanted.length - leftOut;
  if (next > all.length) return shown;
  return `${shown}\n\n[Lines ${offset} to ${next - 1} of ${all.length}. Go on with offset ${next}.]`;
}
