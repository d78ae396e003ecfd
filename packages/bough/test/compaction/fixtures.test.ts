import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toLlmMessages } from "../../src/context/index.ts";
import {
  type AgentMessage,
  assistant,
  compact,
  estimateTokens,
  type Session,
  type ToolCall,
  user,
} from "../../src/index.ts";
import { refusal } from "../context/provider-valid.ts";
import { sharedPath } from "../support/shared.ts";
import { jsonlRepo } from "../support/stories.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const files = ["pi-v1-before-compaction.jsonl", "pi-v1-large-session.jsonl"];

async function opened(file: string): Promise<Session> {
  const path = join(temporaryFolder(), file);
  writeFileSync(path, readFileSync(sharedPath("fixtures", file) as string));
  return await jsonlRepo().open(path);
}

const sizeOf = (messages: readonly AgentMessage[]) =>
  messages.reduce((sum, message) => sum + estimateTokens(message), 0);

/** Paths of edits and writes that succeeded, found in another way than the engine finds them. */
function modifiedIn(messages: readonly AgentMessage[]): ReadonlySet<string> {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const changes = calls.filter(
    (block): block is ToolCall => block.type === "toolCall" && /^(edit|write)$/.test(block.name),
  );
  const succeeded = ({ id }: ToolCall) =>
    messages.some((message) => message.role === "toolResult" && message.toolCallId === id && !message.isError);
  return new Set(changes.filter(succeeded).map((call) => call.arguments.path as string));
}

test.skipIf(sharedPath("fixtures") === undefined).each(files)(
  "%s is compacted to less than 30 % without a model, twice, and keeps its end, its headings and the names of changed files (skipped without the shared fixtures)",
  async (file) => {
    const session = await opened(file);
    const before = (await session.buildContext()).messages;
    const { entry, preparation } = await compact(session);
    const after = (await session.buildContext()).messages;

    expect(entry.tokensBefore).toBe(sizeOf(before));
    expect(entry.tokensAfter).toBe(sizeOf(after));
    expect(sizeOf(after)).toBeLessThan(sizeOf(before) * 0.3);
    expect(estimateTokens(after[0] as AgentMessage)).toBeLessThan(4000);
    expect(after.slice(1)).toEqual(before.slice(1 - after.length));
    expect(refusal(toLlmMessages(after))).toBeUndefined();

    const modified = modifiedIn([...preparation.messagesToSummarize, ...preparation.turnPrefixMessages]);
    expect(modified.size).toBeGreaterThan(10);
    expect(entry.details).toMatchObject({ modifiedFiles: [...modified].sort() });
    for (const path of modified) expect(entry.summary).toContain(path);

    await session.appendMessages([user("Where were we?"), assistant("Right there.")]);
    const second = await compact(session, { keep: { turns: 0 } });
    const headings = entry.summary.match(/^#{1,6} .*/gm) ?? [];
    expect(headings.length).toBeGreaterThanOrEqual(9);
    expect(second.entry.summary.match(/^#{1,6} .*/gm)).toEqual(expect.arrayContaining(headings));
    expect(estimateTokens((await session.buildContext()).messages[0] as AgentMessage)).toBeLessThan(4000);
    for (const path of modified) expect(second.entry.summary).toContain(path);
  },
);
