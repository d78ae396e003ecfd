import type { ConversationFacts } from "./conversation-facts.ts";
import { fittingLines, headingKey } from "./summary-sections.ts";

const parts = ["### Done", "### Under way", "### Failed or blocked"] as const;
type Part = (typeof parts)[number];

const keys: ReadonlyMap<string, Part> = new Map([
  ["done", "### Done"],
  ["completed", "### Done"],
  ["under way", "### Under way"],
  ["in progress", "### Under way"],
  ["failed or blocked", "### Failed or blocked"],
  ["blocked", "### Failed or blocked"],
]);

const nothing = "(none)";

/**
 * What is done, under way and failed. What was under way before counts among what is done: had it failed, that would be
 * said. Headings of another hand stay, below what is done.
 */
export function progressLines(
  before: readonly string[],
  { history, turn }: { readonly history: ConversationFacts; readonly turn: ConversationFacts },
  limit: number,
): readonly string[] {
  const earlier = partsOf(before);
  const lines: Readonly<Record<Part, readonly string[]>> = {
    "### Done": [...earlier["### Done"], ...earlier["### Under way"], ...history.outcomes.map(item)],
    "### Under way": underWay(history, turn),
    "### Failed or blocked": [...earlier["### Failed or blocked"], ...[...history.errors, ...turn.errors].map(item)],
  };
  const shares: Readonly<Record<Part, number>> = {
    "### Done": limit * 0.5,
    "### Under way": limit * 0.25,
    "### Failed or blocked": limit * 0.25,
  };
  return parts.flatMap((part) => {
    const fitting = fittingLines(lines[part], shares[part]);
    return [part, ...(fitting.length > 0 ? fitting : [nothing])];
  });
}

function underWay(history: ConversationFacts, turn: ConversationFacts): readonly string[] {
  return [
    ...turn.requests.map((request) => `- Asked for: "${request}"`),
    ...(turn.lastSaid === undefined ? [] : [`- So far: ${turn.lastSaid}`]),
    ...[...history.openCalls, ...turn.openCalls].map((call) => `- Without a result yet: ${call}`),
  ];
}

function partsOf(lines: readonly string[]): Readonly<Record<Part, readonly string[]>> {
  const found: Record<Part, string[]> = { "### Done": [], "### Under way": [], "### Failed or blocked": [] };
  let part: Part = "### Done";
  for (const line of lines) {
    const named = /^### /.test(line) ? keys.get(headingKey(line)) : undefined;
    if (named !== undefined) {
      part = named;
      continue;
    }
    if (/^### /.test(line)) part = "### Done";
    if (line !== nothing) found[part].push(line);
  }
  return found;
}

function item(line: string): string {
  return `- ${line}`;
}
