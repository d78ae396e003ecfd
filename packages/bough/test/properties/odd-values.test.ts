import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Catalog, fileSource } from "../../src/catalog/index.ts";
import { toLlmMessages } from "../../src/context/index.ts";
import { encodeEntry, jsonText, toJulia } from "../../src/format/index.ts";
import {
  collectEntriesForBranchSummary,
  contextTokens,
  generateSummary,
  isBoughError,
  prepareBranchEntries,
  prepareCompaction,
  type Session,
  serializeConversation,
} from "../../src/index.ts";
import { describeEntry, outline, reticenceOf, searchableText, toolCallsOf } from "../../src/outline/index.ts";
import { SessionManager } from "../../src/session-manager/index.ts";
import { JsonlRepo } from "../../src/storage/jsonl/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/*
 * A stored body may have any shape: programs change what they write, people edit files. Nothing that reads sessions may
 * fail at one, for then it would cost all the others.
 */

const types =
  "message compaction branch_summary custom custom_message model_change thinking_level_change active_tools_change context_edit session_init ttsr_injection reset_boundary label session_info leaf usage title_change mode_change model_usage damaged odd".split(
    " ",
  );
const roles = "user assistant toolResult custom bashExecution branchSummary compactionSummary system odd".split(" ");
const fields =
  "summary firstKeptEntryId tokensBefore tokensAfter fromId customType data content provider modelId model role thinkingLevel activeToolNames targetId replacement task injectedRules label name usage title state retainedTail systemMessage kind originalType details display fromHook fromExtension systemPrompt tools outputSchema".split(
    " ",
  );
const headerFields = "timestamp cwd title parentSession parentSessionId inheritedEntries metadata name model".split(
  " ",
);
const messageFields =
  "content provider model usage stopReason errorMessage toolCallId toolName isError details command output exitCode cancelled truncated fullOutputPath excludeFromContext customType display summary fromId tokensBefore timestamp toolsAdded toolsRemoved sections".split(
    " ",
  );

const oddBlock = fc.record(
  {
    type: fc.constantFrom("text", "thinking", "toolCall", "image", "odd", 5),
    text: fc.constantFrom<unknown>("words", 5, null, {}),
    thinking: fc.constantFrom<unknown>("thoughts", 5, null),
    thinkingSignature: fc.constantFrom<unknown>("s", 5),
    id: fc.constantFrom<unknown>("c1", 5, null),
    name: fc.constantFrom<unknown>("bash", "read", "edit", 5, null, {}),
    arguments: fc.constantFrom<unknown>(
      { command: 5, path: {}, offset: "x", limit: [] },
      { path: "a" },
      "x",
      5,
      null,
      [],
    ),
    data: fc.constantFrom<unknown>("AAAA", 5, null),
    mimeType: fc.constantFrom<unknown>("image/png", 5),
  },
  { requiredKeys: ["type"] },
);
const usual = fc.constantFrom<unknown>("words", "e0", "e1", "high", "p/m", "stop", "", 1, true);
const oddUsage = fc.record(
  {
    input: fc.constantFrom<unknown>(1, -1, 1e308, "1", null),
    output: fc.constantFrom<unknown>(1, {}, 1e308),
    cacheRead: fc.constantFrom<unknown>(0, []),
    cost: fc.constantFrom<unknown>(null, 1, {}, { total: "1" }, { total: 1e308 }),
  },
  { requiredKeys: [] },
);
const odd: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: usual },
  fc.constantFrom<unknown>(
    null,
    5,
    -1,
    1e308,
    false,
    [],
    {},
    [null],
    [5],
    ["words"],
    [[]],
    { text: 5 },
    { length: "x" },
    { toString: 5 },
  ),
  fc.array(fc.oneof(oddBlock, fc.constantFrom<unknown>(null, 5, "words")), { maxLength: 3 }),
  oddUsage,
);

const bodyOf = (names: readonly string[]) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), odd), { maxLength: 12, selector: ([name]) => name })
    .map((pairs) => Object.fromEntries(pairs));

const oddEntry = fc
  .tuple(
    fc.constantFrom("message", ...types),
    bodyOf(fields),
    bodyOf(messageFields),
    fc.constantFrom<unknown>(...roles, 5),
    fc.nat(20),
  )
  .map(([type, body, message, role, parent]) => ({
    type,
    parent,
    body: type === "message" ? { message: { role, ...message } } : body,
  }));

const time = "2026-01-01T00:00:00.000Z";

interface OddEntry {
  readonly type: string;
  readonly parent: number;
  readonly body: object;
}

function textOf(entries: readonly OddEntry[], oddHeader: object): string {
  const header = { type: "session", version: 3, id: "s1", timestamp: time, cwd: "/w", ...oddHeader };
  const records = entries.map(({ type, parent, body }, at) => {
    const above = at === 0 ? null : `e${parent < 15 ? at - 1 : parent % at}`;
    return { ...body, type, id: `e${at}`, parentId: above, timestamp: time };
  });
  return `${[header, ...records].map((record) => JSON.stringify(record)).join("\n")}\n`;
}

/** A summary may turn out to be none. */
function unlessRefused(error: unknown): void {
  if (!isBoughError(error)) throw error;
}

type Reading = (session: Session, path: string) => unknown;

const readings: Readonly<Record<string, Reading>> = {
  tree: async (session) => {
    const tree = await session.readTree();
    return [[...outline(tree, { leaf: session.leafId })], [...tree.labels()], tree.name, await session.getTree()];
  },
  lines: async (session) =>
    (await session.getEntries()).map((entry) => [
      describeEntry(entry),
      describeEntry(entry, { call: "x" }),
      reticenceOf(entry),
      searchableText(entry, "label"),
      entry.type === "message" && toolCallsOf(entry.message),
    ]),
  exports: async (session) =>
    (await session.getEntries()).map((entry) => [encodeEntry(entry), jsonText(toJulia(entry))]),
  context: async (session) => {
    const { messages, ...state } = await session.buildContext();
    return [toLlmMessages(messages), { ...state }, await session.getActivePath(), serializeConversation(messages)];
  },
  counts: async (session) => [await session.getSessionStats(), await session.check(), await session.branches()],
  compaction: async (session) => {
    const path = await session.getActivePath();
    const preparation = prepareCompaction(path, { keep: { tokens: 1 } });
    if (preparation) await generateSummary(preparation).catch(unlessRefused);
    return contextTokens(path);
  },
  "branch summary": async (session) => {
    const [tip] = await session.branches();
    const { entries } = await collectEntriesForBranchSummary(session, session.leafId, tip?.leafId ?? null);
    return prepareBranchEntries(entries);
  },
  manager: (_, path) => {
    const manager = SessionManager.open(path);
    return [manager.buildSessionContext(), manager.getTree(), manager.getSessionName(), manager.getEntries()];
  },
  list: async (_, path) => await new JsonlRepo({ root: join(path, "..") }).list(),
  catalog: async (_, path) => {
    using catalog = Catalog.open({ sources: [fileSource({ name: "odd", root: join(path, "..") })] });
    await catalog.update();
    const { sessions } = await catalog.list();
    expect(sessions).toMatchObject([{ id: "s1" }]);
    return [await catalog.search("words"), await catalog.search("tool:bash"), await catalog.search("re:w.r")];
  },
  fork: async (session) => await (await session.fork()).close(),
};

test.each(Object.entries(readings))(
  "whatever entries hold, nothing fails that reads them: %s",
  async (name, reading) => {
    const folder = temporaryFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(oddEntry, { minLength: 1, maxLength: 12 }),
        bodyOf(headerFields),
        async (entries, header) => {
          const root = join(folder, String(count++));
          mkdirSync(root);
          const path = join(root, "session.jsonl");
          writeFileSync(path, textOf(entries, header));
          const session = await new JsonlRepo({ root, durability: "process" }).open(path);
          await reading(session, path);
          await session.close();
        },
      ),
      { numRuns: (process.env.BOUGH_CAMPAIGN ? 2000 : 150) / (name === "catalog" ? 5 : 1) },
    );
  },
);
