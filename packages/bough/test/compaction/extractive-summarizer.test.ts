import fc from "fast-check";
import { expect, test } from "vitest";
import { withFileLists } from "../../src/compaction/file-operations.ts";
import { sectionsOf } from "../../src/compaction/summary-sections.ts";
import {
  type AgentMessage,
  estimateTokens,
  extractiveSummarizer,
  type SummaryRequest,
  serializeConversation,
} from "../../src/index.ts";
import { storedMessage } from "../context/histories.ts";

const files = { readFiles: [], modifiedFiles: [] };
const user = (text: string) => ({ role: "user", content: text, timestamp: 0 }) as unknown as AgentMessage;
const assistant = (text: string, ...calls: readonly object[]) =>
  ({
    role: "assistant",
    content: [{ type: "text", text }, ...calls],
    stopReason: "stop",
    timestamp: 0,
  }) as unknown as AgentMessage;
const call = (id: string, name: string, args: object) => ({ type: "toolCall", id, name, arguments: args });
const result = (id: string, text: string, isError = false) =>
  ({
    role: "toolResult",
    toolCallId: id,
    toolName: "bash",
    content: [{ type: "text", text }],
    isError,
  }) as unknown as AgentMessage;

async function summaryOf(messages: readonly AgentMessage[], fields: Partial<SummaryRequest> = {}): Promise<string> {
  const request = { kind: "compaction", messages, turnPrefix: [], files, ...fields } as const;
  const { content, stopReason } = await extractiveSummarizer(request);
  expect(stopReason).toBe("stop");
  return content as string;
}

const headingsOf = (summary: string) => summary.match(/^#{1,6} .*/gm) ?? [];
const section = (summary: string, title: string) =>
  sectionsOf(summary)
    .find(({ heading }) => heading === `## ${title}`)
    ?.lines.join("\n") ?? "";

const story = [
  user("Build a parser for dates. It must never guess a time zone."),
  assistant("Reading.", call("k1", "bash", { command: "npm test" })),
  result("k1", "FAIL parser.test.ts\nmore", true),
  assistant("We decided to use a table instead of regular expressions."),
  user("Now add weeks"),
  assistant("Weeks are in. Next: add quarters."),
];

test("headings are filled from the conversation: requests, demands, errors, decisions, what is next and what was last", async () => {
  const summary = await summaryOf(story);
  expect(headingsOf(summary)).toEqual([
    "## Goal",
    "## Constraints and preferences",
    "## Progress",
    "### Done",
    "### Under way",
    "### Failed or blocked",
    "## Decisions",
    "## Next steps",
    "## Critical context",
  ]);
  expect(section(summary, "Goal")).toMatch(/First request: "Build a parser[\s\S]*"Now add weeks"/);
  expect(section(summary, "Constraints and preferences")).toContain("It must never guess a time zone.");
  expect(section(summary, "Progress")).toContain("[bash: npm test] FAIL parser.test.ts");
  expect(section(summary, "Decisions")).toContain("a table instead of regular expressions");
  expect(section(summary, "Next steps")).toContain("add quarters");
  expect(section(summary, "Critical context")).toContain("Weeks are in.");
});

test("a turn under way, and a call without a result in it, are said to be under way", async () => {
  const turnPrefix = [user("Ship it"), assistant("Deploying.", call("k9", "bash", { command: "make deploy" }))];
  const progress = section(await summaryOf(story, { turnPrefix }), "Progress");
  const [, underWay = ""] = progress.split("### Under way");
  expect(underWay).toContain("Ship it");
  expect(underWay).toContain("[bash: make deploy]");
});

test("the same conversation has the same summary", async () => {
  expect(await summaryOf(story)).toBe(await summaryOf(structuredClone(story)));
});

test("a later summary keeps the headings of the one before and what was first asked for", async () => {
  const first = await summaryOf(story);
  const second = await summaryOf([user("And now months"), assistant("Months are in.")], { previousSummary: first });
  expect(headingsOf(second)).toEqual(headingsOf(first));
  expect(section(second, "Goal")).toMatch(/Build a parser[\s\S]*And now months/);
  expect(section(second, "Critical context")).not.toContain("Weeks are in.");
});

test("headings of another hand are kept, whatever they are", async () => {
  const theirs =
    "# Checkpoint\n\n## Branch\n`main`\n\n## Key Decisions\n- no build step\n\n## Commands\n```\n# not one\n```";
  const summary = await summaryOf(story, { previousSummary: theirs });
  expect(headingsOf(summary)).toEqual(expect.arrayContaining(["# Checkpoint", "## Branch", "## Commands"]));
  expect(section(summary, "Decisions")).toContain("no build step");
  expect(section(summary, "Commands")).toContain("# not one");
});

test("what the user asks to be told about is looked for", async () => {
  const messages = [user("The quuxinator is fragile, mind it."), ...story];
  expect(section(await summaryOf(messages, { instructions: "quuxinator" }), "Critical context")).toContain("fragile");
});

test("a branch has no critical context", async () => {
  expect(headingsOf(await summaryOf(story, { kind: "branch" }))).not.toContain("## Critical context");
});

const paths = (count: number) =>
  Array.from({ length: count }, (_, index) => `/home/project/src/some/folder/${index}.ts`);

test("however long the history, a summary with its files stays below 4,000 tokens, generation after generation", async () => {
  const words = "please never forget that we decided to continue with the next thing instead of the other one. ";
  const messages = Array.from({ length: 300 }, (_, turn) => [
    user(`${turn} ${words.repeat(3)}`),
    assistant(`${turn} ${words.repeat(9)}`, call(`k${turn}`, "bash", { command: `${turn} ${words}` })),
    result(`k${turn}`, `${turn} ${words}`, true),
  ]).flat();
  let previousSummary = paths(60)
    .map((path) => `## ${path}\n${words.repeat(20)}`)
    .join("\n\n");
  for (let generation = 0; generation < 4; generation++) {
    const many = { readFiles: paths(500), modifiedFiles: paths(500) };
    const content = await summaryOf(messages, { previousSummary, files: many });
    const summary = withFileLists(content, many);
    expect(estimateTokens({ role: "compactionSummary", summary, tokensBefore: 0, timestamp: 0 })).toBeLessThan(4000);
    previousSummary = content;
  }
});

test("a previous summary of nothing but headings doesn't make the next one longer than it may be", async () => {
  const previousSummary = `## Goal\n${Array.from({ length: 5000 }, (_, index) => `### heading ${index}`).join("\n")}`;
  expect((await summaryOf(story, { previousSummary })).length).toBeLessThan(16_000);
});

test("any conversation has one", async () => {
  const previous = fc.option(fc.string({ unit: "binary" }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(fc.array(storedMessage), fc.array(storedMessage), previous, async (messages, prefix, before) => {
      const summary = await summaryOf(messages as unknown as AgentMessage[], {
        turnPrefix: prefix as unknown as AgentMessage[],
        ...(before !== undefined && { previousSummary: before }),
      });
      expect(summary.length).toBeGreaterThan(100);
      expect(serializeConversation([user(summary)])).not.toBe("");
    }),
  );
});
