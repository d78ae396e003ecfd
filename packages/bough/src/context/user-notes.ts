import type { UserMessage } from "../entry/message.ts";
import { storedText } from "../entry/stored-text.ts";
import { isSame, spokenContent } from "./provider-content.ts";

/*
 * What speaks to the model in the user's place: summaries, an application's notes, commands the user ran. Every wording
 * is fixed, so that a stored history always reads the same.
 */

type Stored = Readonly<Record<string, unknown>>;

/** The message of the user that a stored message of any role becomes; undefined if there is nothing to say. */
export function userMessageOf(stored: Stored): UserMessage | undefined {
  switch (stored.role) {
    case "user":
      return userMessage(stored);
    case "custom":
      return noteFrom(stored, spokenContent(stored.content));
    case "compactionSummary":
      return summaryNote(stored, compactionIntroduction);
    case "branchSummary":
      return summaryNote(stored, branchIntroduction);
    case "bashExecution":
      return stored.excludeFromContext === true ? undefined : textNote(stored, commandText(stored));
    default:
      return undefined;
  }
}

/** Stands in front of a history that begins with a reply: providers want the user to speak first. */
export function opening(timestamp: number): UserMessage {
  return { role: "user", content: [{ type: "text", text: "[The conversation begins here.]" }], timestamp };
}

export function timeOf(stored: Stored): number {
  return typeof stored.timestamp === "number" ? stored.timestamp : 0;
}

const compactionIntroduction =
  "The earlier part of this conversation has been replaced by the following summary. It is a record, not a request: " +
  "what it reports as done must not be done again.";

const branchIntroduction =
  "The conversation went another way from here, and then came back. This is a summary of what happened on that branch:";

function userMessage(stored: Stored): UserMessage | undefined {
  const { content } = stored;
  if (typeof content === "string") {
    if (content.trim() === "") return undefined;
    return content.isWellFormed() ? asUser(stored) : asUser({ ...stored, content: content.toWellFormed() });
  }
  const blocks = spokenContent(content);
  if (blocks.length === 0) return undefined;
  return isSame(blocks, content) ? asUser(stored) : asUser({ ...stored, content: blocks });
}

function summaryNote(stored: Stored, introduction: string): UserMessage | undefined {
  const { summary } = stored;
  if (typeof summary !== "string" || summary.trim() === "") return undefined;
  return textNote(stored, `${introduction}\n\n<summary>\n${summary}\n</summary>`);
}

function commandText({ command, output, exitCode, cancelled, truncated, fullOutputPath }: Stored): string {
  const printed = storedText(output).trimEnd();
  const parts = [`The user ran this command:\n${fenced(storedText(command))}`];
  parts.push(printed === "" ? "It printed nothing." : `It printed:\n${fenced(printed)}`);
  if (cancelled === true) parts.push("It was cancelled.");
  else if (typeof exitCode === "number" && exitCode !== 0) parts.push(`It ended with exit code ${exitCode}.`);
  if (truncated === true && typeof fullOutputPath === "string") {
    parts.push(`The output above is cut; all of it is in ${fullOutputPath}`);
  }
  return parts.join("\n\n");
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function textNote(stored: Stored, text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text: text.toWellFormed() }], timestamp: timeOf(stored) };
}

function noteFrom(stored: Stored, content: Exclude<UserMessage["content"], string>): UserMessage | undefined {
  return content.length === 0 ? undefined : { role: "user", content, timestamp: timeOf(stored) };
}

function asUser(stored: Stored): UserMessage {
  return stored as unknown as UserMessage;
}
