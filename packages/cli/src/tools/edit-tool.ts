import { resolve } from "node:path";
import type { HarnessTool } from "@bough/harness";
import { ifAny, readExactText, writeTextFile } from "./text-file.ts";
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
      await writeTextFile(path, edited(await readExactText(path), args));
      return done(args);
    },
    probe: async (params) => {
      const args = params as EditArguments;
      return seenIn(await ifAny(resolve(cwd, args.path), readExactText), args);
    },
  };
}

function edited(text: string, args: EditArguments): string {
  const { path, oldText, newText } = asSpelledIn(text, args);
  const at = text.indexOf(oldText);
  if (at === -1) throw new Error(`oldText doesn't occur in ${path}. Read the file, then try again.`);
  if (text.includes(oldText, at + 1))
    throw new Error(`oldText occurs more than once in ${path}. Take in more around it.`);
  return text.slice(0, at) + newText + text.slice(at + oldText.length);
}

/** Only where one of the two texts stands there and the other doesn't, the file tells which one it is. */
function seenIn(text: string | undefined, args: EditArguments): ToolResult | "not_started" | undefined {
  if (text === undefined) return undefined;
  const { oldText, newText } = asSpelledIn(text, args);
  const hasOld = text.includes(oldText);
  const hasNew = newText !== "" && text.includes(newText);
  if (hasOld && !hasNew) return "not_started";
  return hasNew && !hasOld ? done(args) : undefined;
}

/** The arguments with the line ends of a file in which every line ends with CRLF: models write LF. */
function asSpelledIn(text: string, args: EditArguments): EditArguments {
  if (!text.includes("\r\n") || /(?<!\r)\n/.test(text)) return args;
  const spelled = (part: string) => part.replaceAll(/\r?\n/g, "\r\n");
  return { ...args, oldText: spelled(args.oldText), newText: spelled(args.newText) };
}

function done({ path }: EditArguments): ToolResult {
  return textResult(`${path} was changed.`);
}
