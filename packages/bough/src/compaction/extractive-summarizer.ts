import { type ConversationFacts, factsOf } from "./conversation-facts.ts";
import { progressLines } from "./progress-lines.ts";
import { beginning } from "./shortened-text.ts";
import type { Summarizer, SummaryRequest } from "./summarizer.ts";
import { branchHeadings, type SummaryTitle, summaryHeadings } from "./summary-headings.ts";
import { fittingLines, headingKey, type SummarySection, sectionsOf, sectionText } from "./summary-sections.ts";

/**
 * Summarises without a model: the conversation's own words under the headings a model is asked for. The same
 * conversation always gives the same summary, of less than 4,000 estimated tokens with the lists of files below it; a
 * previous summary is taken over, headings and all.
 */
export const extractiveSummarizer: Summarizer = async (request) => ({
  content: extractedSummary(request),
  stopReason: "stop",
});

/** In UTF-16 units. */
const lengths: Readonly<Record<SummaryTitle, number>> = {
  Goal: 1800,
  "Constraints and preferences": 1000,
  Progress: 2200,
  Decisions: 1000,
  "Next steps": 500,
  "Critical context": 1500,
};
const otherLength = 1400;
const otherSections = 20;
const otherHeadingLength = 80;
const nothing = "(none)";

function extractedSummary(request: SummaryRequest): string {
  const earlier = sectionsOf(request.previousSummary ?? "");
  const lines = linesByTitle(request);
  const headings = request.kind === "branch" ? branchHeadings : summaryHeadings;
  const sections = headings.map(({ title }) => {
    const before = earlier.filter((section) => titleOf(section) === title).flatMap((section) => section.lines);
    const fitting = lines[title](before.filter((line) => line !== nothing));
    return { heading: `## ${title}`, lines: fitting.length > 0 ? fitting : [nothing] };
  });
  return [...sections, ...others(earlier)].map(sectionText).join("\n\n");
}

/** Sections of a previous summary that no heading here stands for. */
function others(earlier: readonly SummarySection[]): readonly SummarySection[] {
  const unknown = earlier.filter((section) => titleOf(section) === undefined).slice(0, otherSections);
  const share = otherLength / Math.max(1, unknown.length);
  return unknown.map(({ heading, lines }) => ({
    heading: beginning(heading, otherHeadingLength),
    lines: fittingLines(lines, share),
  }));
}

type Merge = (before: readonly string[]) => readonly string[];

/** For each heading, what becomes of the lines that stood there before. */
function linesByTitle(request: SummaryRequest): Readonly<Record<SummaryTitle, Merge>> {
  const history = factsOf(request.messages);
  const turn = factsOf(request.turnPrefix);
  const all = factsOf([...request.messages, ...request.turnPrefix]);
  const added = (title: SummaryTitle, lines: readonly string[]) => (before: readonly string[]) =>
    fittingLines([...before, ...lines], lengths[title]);
  const next = matching(all.modelSentences.slice(-20), nextWords);
  return {
    Goal: (before) => fittingLines([...before, ...requestLines(all, before.length === 0)], lengths.Goal),
    "Constraints and preferences": added("Constraints and preferences", matching(all.userSentences, demandWords)),
    Progress: (before) => progressLines(before, { history, turn }, lengths.Progress),
    Decisions: added("Decisions", matching([...all.userSentences, ...all.modelSentences], decisionWords)),
    "Next steps": (before) => fittingLines(next.length > 0 ? next : before, lengths["Next steps"]),
    "Critical context": (before) =>
      fittingLines(
        [...before.filter((line) => !line.startsWith(lastSaid)), ...contextLines(all, request.instructions)],
        lengths["Critical context"],
      ),
  };
}

function requestLines({ requests }: ConversationFacts, isFirst: boolean): readonly string[] {
  return requests.map((request, index) => `- ${isFirst && index === 0 ? "First request" : "Request"}: "${request}"`);
}

const lastSaid = "- Last said: ";

function contextLines(facts: ConversationFacts, instructions: string | undefined): readonly string[] {
  const last = facts.outcomes.at(-1);
  return [
    ...facts.notes.map((note) => `- ${note}`),
    ...aboutFocus(facts, instructions ?? ""),
    ...(last === undefined ? [] : [`${lastSaid}${last}`]),
  ];
}

/** Sentences that share a longer word with what the user asked to be told. */
function aboutFocus(facts: ConversationFacts, instructions: string): readonly string[] {
  const words = instructions.toLowerCase().match(/[\p{L}\p{N}_-]{4,}/gu) ?? [];
  if (words.length === 0) return [];
  const sentences = [...facts.userSentences, ...facts.modelSentences];
  const found = sentences.filter((sentence) => words.some((word) => sentence.toLowerCase().includes(word)));
  return found.slice(-8).map((sentence) => `- ${sentence}`);
}

const demandWords =
  /\b(?:must|never|always|don'?t|do not|only|prefer|avoid|should(?:n'?t)?|make sure|no longer|please|want|need)\b/i;
const decisionWords =
  /\b(?:decided?|decision|going with|go with|instead of|rather than|let'?s|chose|choose|agreed|settled on)\b/i;
const nextWords =
  /\b(?:next|remaining|still (?:need|have|to)|todo|to do|afterwards|left to do|will then|continue with)\b/i;

function matching(sentences: readonly string[], words: RegExp): readonly string[] {
  return sentences.filter((sentence) => words.test(sentence)).map((sentence) => `- ${sentence}`);
}

const titles: ReadonlyMap<string, SummaryTitle> = new Map([
  ...summaryHeadings.map(({ title }) => [headingKey(title), title] as const),
  ["key decisions", "Decisions"],
]);

function titleOf({ heading }: SummarySection): SummaryTitle | undefined {
  return titles.get(headingKey(heading));
}
