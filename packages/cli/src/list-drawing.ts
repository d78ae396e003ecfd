import { basename } from "node:path";
import type { SessionInfo } from "bough";
import { plainLine } from "bough/outline";
import type { Output } from "./output.ts";
import { idColumn } from "./shown-name.ts";
import { cutToWidth, fitToWidth, textWidth } from "./text-width.ts";

export interface ListingOptions {
  readonly withProject: boolean;
  /** How many of the sessions it was forked from stand above it. */
  readonly depth?: number;
}

const deepest = 8;

/** Narrower terminals show no more than when and what. */
const roomy = 70;

/** A session in one line: short id, last activity, messages, project if asked for, a sign for forks, and what it is about. */
export function drawListing(info: SessionInfo, output: Output, { withProject, depth = 0 }: ListingOptions): string {
  const isRoomy = output.width >= roomy;
  const columns = [idColumn(info.id), age(info.modified).padStart(4)];
  if (isRoomy) columns.push(String(info.messageCount).padStart(5));
  if (isRoomy && withProject) columns.push(fitToWidth(plainLine(basename(info.cwd)), 16));
  const start = `${columns.join("  ")}  `;
  const fork = info.parentSession === undefined ? "" : "⑂ ";
  const subject = "  ".repeat(Math.min(depth, deepest)) + fork + plainLine(info.name ?? info.firstMessage);
  const style = info.name === undefined ? "reset" : "bold";
  return output.paint("dim", start) + output.paint(style, cutToWidth(subject, output.width - textWidth(start)));
}

const units = [
  ["y", 365 * 24 * 3600],
  ["mo", 30 * 24 * 3600],
  ["d", 24 * 3600],
  ["h", 3600],
  ["m", 60],
] as const;

/** How long ago, in at most four characters. */
function age(time: string): string {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  for (const [unit, length] of units) if (seconds >= length) return `${Math.floor(seconds / length)}${unit}`;
  return Number.isNaN(seconds) ? "?" : "now";
}
