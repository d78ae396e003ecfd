import type { AgentMessage, ToolCall } from "../entry/message.ts";
import { storedText } from "../entry/stored-text.ts";
import { toolCallsOf } from "../outline/message-text.ts";

/** Files by what happened to them, sorted; one that was modified is not among those read. */
export interface FileOperations {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

const readers: ReadonlySet<string> = new Set(["read"]);
const writers: ReadonlySet<string> = new Set(["write", "edit", "multiedit"]);

/**
 * What the calls in these messages did to files, by the names of the tools. A call counts when its result is among the
 * messages and no error.
 */
export function fileOperationsIn(messages: readonly AgentMessage[]): FileOperations {
  const calls = new Map<string, ToolCall>();
  const read = new Set<string>();
  const modified = new Set<string>();
  for (const message of messages) {
    for (const call of toolCallsOf(message)) calls.set(call.id, call);
    if (message.role !== "toolResult" || message.isError) continue;
    const call = calls.get(message.toolCallId);
    const path = call && pathOf(call);
    if (call === undefined || path === undefined) continue;
    const name = storedText(call.name).toLowerCase();
    if (writers.has(name)) modified.add(path);
    else if (readers.has(name)) read.add(path);
  }
  return sorted(read, modified);
}

/** Both together, as if one had happened after the other. */
export function joinedFiles(...operations: readonly FileOperations[]): FileOperations {
  const read = new Set(operations.flatMap((operation) => operation.readFiles));
  const modified = new Set(operations.flatMap((operation) => operation.modifiedFiles));
  return sorted(read, modified);
}

/** The lists that a summary's `details` hold; none where they hold something else. */
export function storedFiles(details: unknown): FileOperations {
  const { readFiles, modifiedFiles } = (details ?? {}) as Record<string, unknown>;
  return { readFiles: strings(readFiles), modifiedFiles: strings(modifiedFiles) };
}

/** In UTF-16 units. */
const listLengths = { "read-files": 1200, "modified-files": 2600 };
/** A summary with its files below, as every reader of such summaries finds them; long lists end in a count. */
export function withFileLists(summary: string, { readFiles, modifiedFiles }: FileOperations): string {
  const parts = [summary.trimEnd(), listed("read-files", readFiles), listed("modified-files", modifiedFiles)];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** A summary without those lists. */
export function withoutFileLists(summary: string): string {
  let text = summary;
  for (;;) {
    const name = Object.keys(listLengths).find((each) => text.trimEnd().endsWith(`\n</${each}>`));
    const start = text.lastIndexOf(`<${name}>\n`);
    if (name === undefined || start === -1) return text;
    text = text.slice(0, start).trimEnd();
  }
}

function listed(name: keyof typeof listLengths, paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const shown: string[] = [];
  let length = 0;
  for (const path of paths) {
    length += path.length + 1;
    if (length > listLengths[name]) break;
    shown.push(path.replace(/\s+/g, " "));
  }
  const rest = paths.length > shown.length ? [`(and ${paths.length - shown.length} more)`] : [];
  return [`<${name}>`, ...shown, ...rest, `</${name}>`].join("\n");
}

function sorted(read: ReadonlySet<string>, modified: ReadonlySet<string>): FileOperations {
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).sort(),
    modifiedFiles: [...modified].sort(),
  };
}

function pathOf({ arguments: given }: ToolCall): string | undefined {
  const { path, file_path, filePath } = (given ?? {}) as Record<string, unknown>;
  const named = [path, file_path, filePath].find((value) => typeof value === "string" && value !== "");
  return named as string | undefined;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
