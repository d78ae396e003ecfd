import { type ConversationFacts, factsOf } from "./conversation-facts.ts";
import { withFileLists } from "./file-operations.ts";
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

/** All that follows in UTF-16 units. With the lists of files, whatever a history holds, it stays below the promise. */
const wholeLength = 15_300;
const shares: Readonly<Record<SummaryTitle, number>> = {
  Goal: 0.22,
  "Constraints and preferences": 0.13,
  Progress: 0.32,
  Decisions: 0.13,
  "Next steps": 0.06,
  "Critical context": 0.14,
};
const otherLength = 1400;
const otherSections = 20;
const otherHeadingLength = 80;
const nothing = "(none)";

function extractedSummary(request: SummaryRequest): string {
  const earlier = sectionsOf(request.previousSummary ?? "");
  const kept = others(earlier).map(sectionText).join("\n\n");
  const length = wholeLength - kept.length - withFileLists("", request.files).length;
  const linesOf = linesByTitle(request);
  const headings = request.kind === "branch" ? branchHeadings : summaryHeadings;
  const sections = headings.map(({ title }) => {
    const before = earlier.filter((section) => titleOf(section) === title).flatMap((section) => section.lines);
    const lines = linesOf[title](
      before.filter((line) => line !== nothing),
      length * shares[title],
    );
    return sectionText({ heading: `## ${title}`, lines: lines.length > 0 ? lines : [nothing] });
  });
  return beginning([...sections, kept].join("\n\n").trimEnd(), length + kept.length);
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

/** What becomes of the lines that stood under a heading before. */
type Lines = (before: readonly string[], length: number) => readonly string[];

function linesByTitle({ messages, turnPrefix, instructions }: SummaryRequest): Readonly<Record<SummaryTitle, Lines>> {
  const history = factsOf(messages);
  const turn = factsOf(turnPrefix);
  const all = factsOf([...messages, ...turnPrefix]);
  const next = matching(all.modelSentences.slice(-20), nextWords);
  const added = (lines: readonly string[]) => (before: readonly string[], length: number) =>
    fittingLines([...before, ...lines], length);
  return {
    Goal: (before, length) => added(requestLines(all, before.length === 0))(before, length),
    "Constraints and preferences": added(matching(all.userSentences, demandWords)),
    Progress: (before, length) => progressLines(before, { history, turn }, length),
    Decisions: added(decisionLines(all)),
    "Next steps": (before, length) => fittingLines(next.length > 0 ? next : before, length),
    "Critical context": (before, length) =>
      added(contextLines(all, instructions))(
        before.filter((line) => !line.startsWith(lastSaid)),
        length,
      ),
  };
}

function requestLines({ requests }: ConversationFacts, isFirst: boolean): readonly string[] {
  return requests.map((request, index) => `- ${isFirst && index === 0 ? "First request" : "Request"}: "${request}"`);
}

const lastSaid = "- Last said: ";

function contextLines(facts: ConversationFacts, instructions: string | undefined): readonly string[] {
  const last = facts.lastSaid;
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
const wishWords = /\b(?:let'?s|go with|use|keep|drop|instead)\b/i;
const decisionWords = /\b(?:decided?|decision|going with|instead of|rather than|chose|chosen|agreed|settled on)\b/i;
const nextWords =
  /\b(?:next|remaining|still (?:need|have|to)|todo|to do|afterwards|left to do|will then|continue with)\b/i;

/** What users settled, and what the model says was settled; what it is about to look at is neither. */
function decisionLines({ userSentences, modelSentences }: ConversationFacts): readonly string[] {
  const told = modelSentences.filter((sentence) => !/^(?:now,? )?let(?:'s| me)\b/i.test(sentence));
  const settled = userSentences.filter((sentence) => wishWords.test(sentence) || decisionWords.test(sentence));
  return [...settled.filter(isStatement).map((sentence) => `- ${sentence}`), ...matching(told, decisionWords)];
}

function matching(sentences: readonly string[], words: RegExp): readonly string[] {
  return sentences
    .filter((sentence) => words.test(sentence) && isStatement(sentence))
    .map((sentence) => `- ${sentence}`);
}

function isStatement(sentence: string): boolean {
  return !sentence.endsWith("?");
}

const titles: ReadonlyMap<string, SummaryTitle> = new Map([
  ...summaryHeadings.map(({ title }) => [headingKey(title), title] as const),
  ["key decisions", "Decisions"],
]);

function titleOf({ heading }: SummarySection): SummaryTitle | undefined {
  return titles.get(headingKey(heading));
}
