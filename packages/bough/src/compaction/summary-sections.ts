import { beginning } from "./shortened-text.ts";

/*
 * A summary as Markdown sections, so that a later one can take it over without losing a heading. A section begins at a
 * heading of the first or second level; deeper headings are lines of it that are never left out.
 */

export interface SummarySection {
  /** As it stands in the text, `## Goal`; empty for what comes before the first. */
  readonly heading: string;
  /** Without blank ones. */
  readonly lines: readonly string[];
}

export function sectionsOf(summary: string): readonly SummarySection[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: "", lines: [] }];
  let isFenced = false;
  for (const line of summary.split("\n")) {
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    if (!isFenced && /^##? \S/.test(line)) sections.push({ heading: line.trim(), lines: [] });
    else if (line.trim() !== "" && line.trim() !== "---") sections.at(-1)?.lines.push(line.trimEnd());
  }
  return sections.filter(({ heading, lines }) => heading !== "" || lines.length > 0);
}

export function sectionText({ heading, lines }: SummarySection): string {
  return [heading, ...lines].filter((line) => line !== "").join("\n");
}

/** The words of a heading, to compare it by. */
export function headingKey(heading: string): string {
  return heading
    .replace(/^#+\s*/, "")
    .replace(/&/g, "and")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}

const lineLimit = 400;
const omission = /^- \((\d+) more left out\)$/;

/**
 * Lines, each once, within so many UTF-16 units: of too many the first third and the newest stay, and a count of the
 * others stands between. Headings among them stay in any case.
 */
export function fittingLines(lines: readonly string[], limit: number): readonly string[] {
  const most = Math.max(20, Math.min(lineLimit, Math.floor(limit)));
  const earlier = lines.reduce((sum, line) => sum + Number(omission.exec(line)?.[1] ?? 0), 0);
  const unique = [...new Set(lines)].filter((line) => !omission.test(line)).map((line) => beginning(line, most));
  const fits = countWithin(unique, limit) === unique.length;
  const head = fits ? unique.length : countWithin(unique, limit / 3);
  const rest = unique.slice(head);
  const tail = Math.min(rest.length, Math.max(1, countWithin(rest.toReversed(), (limit * 2) / 3)));
  const middle = unique.slice(head, unique.length - tail);
  const omitted = earlier + middle.filter((line) => !isHeading(line)).length;
  const count = omitted > 0 ? [`- (${omitted} more left out)`] : [];
  return [...unique.slice(0, head), ...middle.filter(isHeading), ...count, ...unique.slice(unique.length - tail)];
}

function countWithin(lines: readonly string[], limit: number): number {
  let length = 0;
  for (const [count, line] of lines.entries()) {
    length += line.length + 1;
    if (length > limit) return count;
  }
  return lines.length;
}

function isHeading(line: string): boolean {
  return /^#{3,6} \S/.test(line);
}
