import { closeSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";

/** A message of about `length` characters, and where on the path of a session it stands. */
export interface LongLinePlan {
  readonly length: number;
  /** Above all compactions, or at the leaf. */
  readonly at: "root" | "leaf";
  /** What is long: a text, or a list of small values. */
  readonly of: "words" | "values";
}

/** Copies a session of moderate size with such a message in it. */
export function writeWithLongLine(path: string, source: string, { at, ...plan }: LongLinePlan): void {
  const [header, ...lines] = readFileSync(source, "utf8").trimEnd().split("\n") as [string, ...string[]];
  const [root, last] = [JSON.parse(lines[0] as string), JSON.parse(lines.at(-1) as string)];
  const place = {
    parentId: at === "root" ? null : last.id,
    timestamp: at === "root" ? root.timestamp : last.timestamp,
  };
  const long = JSON.stringify({ type: "message", id: "10a9beef", ...place, message: messageOf(plan) });
  const rest = at === "root" ? [JSON.stringify({ ...root, parentId: "10a9beef" }), ...lines.slice(1)] : lines;
  const fd = openSync(`${path}.part`, "w");
  for (const line of at === "root" ? [header, long, ...rest] : [header, ...rest, long]) writeSync(fd, `${line}\n`);
  closeSync(fd);
  renameSync(`${path}.part`, path);
}

function messageOf({ length, of }: Omit<LongLinePlan, "at">): object {
  const timestamp = 1_770_000_000_000;
  if (of === "words") return { role: "user", content: "many words ".repeat(length / 11), timestamp };
  const content = [{ type: "text", text: "A table" }];
  const row = { name: "alpha", values: [1, 2.5, true] };
  const rows = Array(Math.floor(length / (JSON.stringify(row).length + 1))).fill(row);
  return {
    role: "toolResult",
    toolCallId: "call_1",
    toolName: "query",
    content,
    details: { rows },
    isError: false,
    timestamp,
  };
}
