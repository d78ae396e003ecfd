import { jsonText } from "../entry/json.ts";
import type { ToolCall } from "../entry/message.ts";
import { storedText } from "../entry/stored-text.ts";
import { cut } from "./plain-text.ts";

/** `[read: src/a.ts:10-20]`, `[bash: npm test]`: the call by what it is about. Not yet cleaned for display. */
export function describeToolCall(call: ToolCall): string {
  const name = storedText(call.name) || "tool";
  const subject = subjectOf(name, (call.arguments ?? {}) as Arguments);
  return subject === "" ? `[${name}]` : `[${name}: ${subject}]`;
}

type Arguments = Readonly<Record<string, unknown>>;

const otherLimit = 40;
const commandLimit = 50;

function subjectOf(name: string, args: Arguments): string {
  const path = firstString(args.path, args.file_path, args.filePath);
  switch (name) {
    case "read":
      return path === "" ? otherSubject(args) : path + lineRange(args.offset, args.limit);
    case "write":
    case "edit":
    case "ls":
      return path || otherSubject(args);
    case "bash":
      return cut(firstString(args.command, args.cmd).trim(), commandLimit) || otherSubject(args);
    case "grep":
    case "find":
      return [firstString(args.pattern), path].filter(Boolean).join(" in ") || otherSubject(args);
    default:
      return otherSubject(args);
  }
}

function otherSubject(args: Arguments): string {
  const json = jsonText(args);
  return json === "{}" ? "" : cut(json, otherLimit);
}

function lineRange(offset: unknown, limit: unknown): string {
  if (typeof limit !== "number") return typeof offset === "number" ? `:${offset}` : "";
  const first = typeof offset === "number" ? offset : 1;
  return `:${first}-${first + limit - 1}`;
}

function firstString(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
}
