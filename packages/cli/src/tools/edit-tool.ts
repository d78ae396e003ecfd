import { resolve } from "node:path";
import type { HarnessTool } from "@bough/harness";
import { readTextFile, textFileIfAny, writeTextFile } from "./text-file.ts";
import { type ToolResult, textResult } from "./text-result.ts";

interface EditArguments {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
}

export function editTool(cwd: string): HarnessTool {
  return {
    name: "edit",
    label: "edit",
    description: "Replaces a piece of a text file. The piece must occur exactly once, blanks and all.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the working directory or absolute" },
        oldText: { type: "string", minLength: 1, description: "What stands there now, word for word" },
        newText: { type: "string", description: "What is to stand there instead" },
      },
      required: ["path", "oldText", "newText"],
    },
    replay: "probe",
    execute: async (_, args: EditArguments) => {
      const path = resolve(cwd, args.path);
      await writeTextFile(path, edited(await readTextFile(path), args));
      return done(args);
    },
    probe: async (params) => {
      const args = params as EditArguments;
      return seenIn(await textFileIfAny(resolve(cwd, args.path)), args);
    },
  };
}

function edited(text: string, { path, oldText, newText }: EditArguments): string {
  const [before, after, ...more] = text.split(oldText) as [string, ...string[]];
  if (after === undefined) throw new Error(`oldText doesn't occur in ${path}. Read the file, then try again.`);
  if (more.length > 0) throw new Error(`oldText occurs ${more.length + 1} times in ${path}. Take in more around it.`);
  return before + newText + after;
}

/** Only where one of the two texts stands there and the other doesn't, the file tells which one it is. */
function seenIn(text: string | undefined, args: EditArguments): ToolResult | "not_started" | undefined {
  const hasOld = text?.includes(args.oldText);
  const hasNew = args.newText !== "" && text?.includes(args.newText);
  if (hasOld && !hasNew) return "not_started";
  return hasNew && !hasOld ? done(args) : undefined;
}

function done({ path }: EditArguments): ToolResult {
  return textResult(`${path} was changed.`);
}
