import { expect, test } from "vitest";
import {
  type AgentMessage,
  type ModelSummarizerOptions,
  modelSummarizer,
  type SummaryPrompt,
  type SummaryReply,
  type SummaryRequest,
  summaryPrompts,
} from "../../src/index.ts";

const said = (text: string) => ({ role: "user", content: text, timestamp: 0 }) as AgentMessage;
const request = (fields: Partial<SummaryRequest> = {}): SummaryRequest => ({
  kind: "compaction",
  messages: [said("the history")],
  turnPrefix: [],
  files: { readFiles: [], modifiedFiles: [] },
  ...fields,
});
const usage = (input: number) => {
  const cost = { input, output: 0, cacheRead: 0, cacheWrite: 0, total: input };
  return { input, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: input + 1, cost };
};

function scripted(...replies: readonly SummaryReply[]) {
  return answering(replies);
}

function limited(inputTokens: number, ...replies: readonly string[]) {
  return answering(
    replies.map((content) => ({ content })),
    { inputTokens },
  );
}

function answering(replies: readonly SummaryReply[], options: ModelSummarizerOptions = {}) {
  const asked: SummaryPrompt[] = [];
  const remaining = replies.values();
  const summarizer = modelSummarizer(async (prompt) => {
    asked.push(prompt);
    return remaining.next().value as SummaryReply;
  }, options);
  return { asked, summarizer };
}

const headings = ["Goal", "Constraints and preferences", "Progress", "Decisions", "Next steps", "Critical context"];

test("CM-11 a model is shown the record and told the headings, and offered nothing else", () => {
  const [prompt, ...others] = summaryPrompts(request());
  expect(others).toEqual([]);
  expect(Object.keys(prompt ?? {}).sort()).toEqual(["part", "systemPrompt", "text"]);
  expect(prompt?.part).toBe("history");
  expect(prompt?.text).toContain("<transcript>\n=== user ===\nthe history\n</transcript>");
  expect(prompt?.text.match(/^## .*/gm)?.map((line) => line.slice(3))).toEqual(headings);
});

test("pi-128 a previous summary is shown and asked to be brought up to date", () => {
  const [plain] = summaryPrompts(request());
  const [update] = summaryPrompts(request({ previousSummary: "what was" }));
  expect(update?.text).toContain("<previous-summary>\nwhat was\n</previous-summary>");
  expect(update?.text.match(/^## .*/gm)?.map((line) => line.slice(3))).toEqual(headings);
  expect(plain?.text).not.toContain("previous-summary");
});

test("pi-168 instructions are added, or replace the task, never the record", () => {
  const [focused] = summaryPrompts(request({ instructions: "the parser" }));
  expect(focused?.text).toContain("the parser");
  expect(focused?.text).toContain("## Goal");
  const [replaced] = summaryPrompts(request({ instructions: "One line.", replaceInstructions: true }));
  expect(replaced?.text).toMatch(/the history\n<\/transcript>\n\nOne line\.$/);
  const branch = request({ kind: "branch", instructions: "One line.", replaceInstructions: true });
  expect(summaryPrompts(branch)[0]?.text).toMatch(/<\/transcript>\n\nOne line\.$/);
});

test("a branch is asked for without critical context", () => {
  const [prompt] = summaryPrompts(request({ kind: "branch" }));
  expect(prompt?.part).toBe("branch");
  expect(prompt?.text.match(/^## .*/gm)?.map((line) => line.slice(3))).toEqual(headings.slice(0, 5));
});

test("pi-146 a turn that is cut is summarised on its own; both parts are in the text, and what both cost", async () => {
  const { asked, summarizer } = scripted({ content: "HISTORY", usage: usage(3) }, { content: "TURN", usage: usage(4) });
  const reply = await summarizer(request({ turnPrefix: [said("the turn")] }));
  expect(asked.map(({ part }) => part)).toEqual(["history", "turn"]);
  expect(asked[0]?.text).not.toContain("the turn");
  expect(asked[1]?.text).toContain("the turn");
  expect(reply.content).toMatch(/HISTORY[\s\S]*TURN/);
  expect(reply.usage).toEqual({ ...usage(7), output: 2, totalTokens: 9 });
});

test("pi-126 where only a turn is cut the previous summary stays as it is", async () => {
  const { asked, summarizer } = scripted({ content: "TURN" });
  const reply = await summarizer(request({ messages: [], turnPrefix: [said("x")], previousSummary: "BEFORE" }));
  expect(asked.map(({ part }) => part)).toEqual(["turn"]);
  expect(reply.content).toMatch(/^BEFORE[\s\S]*TURN$/);
});

test("one part that is not fit makes the whole so, and what both cost is told", async () => {
  const bad: SummaryReply = { content: "cut o", stopReason: "length", usage: usage(4) };
  const { summarizer } = scripted({ content: "HISTORY", usage: usage(3) }, bad);
  const reply = await summarizer(request({ turnPrefix: [said("x")] }));
  expect(reply).toMatchObject({ stopReason: "length", usage: { input: 7 } });
});

const long = (word: string) => said(`${word} ${"x".repeat(150)}`);

test("a history too long for one request is summarised in several, each bringing the note of the one before up to date", async () => {
  const { asked, summarizer } = limited(50, "ONE", "TWO", "THREE");
  const messages = ["first", "second", "third"].map(long);
  const reply = await summarizer(request({ messages, previousSummary: "BEFORE" }));
  expect(reply.content).toBe("THREE");
  const shown = asked.map(({ text }) => /<previous-summary>\n(.*)\n[\s\S]*(first|second|third) /.exec(text)?.slice(1));
  expect(shown).toEqual([
    ["BEFORE", "first"],
    ["ONE", "second"],
    ["TWO", "third"],
  ]);
});

test("the beginning of a turn that is too long joins the history, and its last part is told as a turn", async () => {
  const { asked, summarizer } = limited(50, "ONE", "TURN");
  const reply = await summarizer(request({ messages: [], turnPrefix: [long("first"), long("second")] }));
  expect(asked.map(({ part }) => part).sort()).toEqual(["history", "turn"]);
  expect(reply.content).toMatch(/(ONE[\s\S]*TURN|TURN[\s\S]*ONE)/);
});

test("a message that is too long alone is shortened, and the requests end at the first that goes wrong", async () => {
  const { asked, summarizer } = limited(50, "ONE", "", "never asked");
  const messages = [said("x".repeat(4000)), long("second"), long("third")];
  expect((await summarizer(request({ messages }))).content).toBe("");
  expect(asked).toHaveLength(2);
  expect(asked[0]?.text).toContain("more characters");
});
