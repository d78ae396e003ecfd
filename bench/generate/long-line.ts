import { closeSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";

/** Where on the path of a session a message of `length` characters stands: above all compactions, or at the leaf. */
export interface LongLinePlan {
  readonly length: number;
  readonly at: "root" | "leaf";
}

/** Copies a session of moderate size with such a message in it. */
export function writeWithLongLine(path: string, source: string, { length, at }: LongLinePlan): void {
  const [header, ...lines] = readFileSync(source, "utf8").trimEnd().split("\n") as [string, ...string[]];
  const [root, last] = [JSON.parse(lines[0] as string), JSON.parse(lines.at(-1) as string)];
  const message = { role: "user", content: "many words ".repeat(length / 11), timestamp: 1_770_000_000_000 };
  const place = {
    parentId: at === "root" ? null : last.id,
    timestamp: at === "root" ? root.timestamp : last.timestamp,
  };
  const long = JSON.stringify({ type: "message", id: "10a9beef", ...place, message });
  const rest = at === "root" ? [JSON.stringify({ ...root, parentId: "10a9beef" }), ...lines.slice(1)] : lines;
  const fd = openSync(`${path}.part`, "w");
  for (const line of at === "root" ? [header, long, ...rest] : [header, ...rest, long]) writeSync(fd, `${line}\n`);
  closeSync(fd);
  renameSync(`${path}.part`, path);
}
