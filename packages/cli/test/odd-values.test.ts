import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newPlace } from "./support/bough.ts";

/** What no program should write, where a text or a list should be. */
const oddities: readonly unknown[] = [
  null,
  5,
  [],
  {},
  [null],
  [{ type: "toolCall", id: 5, arguments: "x" }],
  { toString: 5 },
];

const roles = "user assistant toolResult custom bashExecution branchSummary compactionSummary system odd".split(" ");
const messageFields =
  "content usage stopReason errorMessage toolCallId toolName command output customType summary model".split(" ");
const types =
  "compaction branch_summary custom custom_message model_change thinking_level_change active_tools_change context_edit session_init ttsr_injection label session_info leaf usage title_change damaged odd".split(
    " ",
  );
const fields =
  "summary firstKeptEntryId fromId customType data content provider modelId model role thinkingLevel activeToolNames targetId replacement task injectedRules label name usage title state kind originalType tokensBefore".split(
    " ",
  );

const perOddity = roles.length + 2 * types.length;

function oddSession(): string {
  const timestamp = "2026-01-01T00:00:00.000Z";
  const records: object[] = [{ type: "session", version: 3, id: "0dd00001", timestamp, cwd: "/w" }];
  const add = (record: object) => {
    const above = records.length === 1 ? null : `e${records.length - 1}`;
    records.push({ id: `e${records.length}`, parentId: above, timestamp, ...record });
  };
  for (const odd of oddities) {
    const all = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, odd]));
    for (const role of roles) add({ type: "message", message: { ...all(messageFields), role } });
    for (const type of types) add({ ...all(fields), type });
    const usable = {
      summary: "s",
      customType: "c",
      provider: "p",
      modelId: "m",
      activeToolNames: [],
      injectedRules: [],
      targetId: "e1",
    };
    for (const type of types) add({ ...all(fields), ...usable, type });
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

test("whatever entries hold, every command that reads them does, and their store is listed and searched", async () => {
  const place = newPlace();
  const path = join(place.home, "sessions", "p", "t_0dd00001.jsonl");
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, oddSession());
  const commands = [
    ["tree", path, "--filter", "all"],
    ["tree", path, "--json"],
    ["tree", path, "--search", "s"],
    ["context", path],
    ["context", path, "--json"],
    ["stats", path],
    ["stats", path, "--json"],
    ["check", path],
    ["check", path, "--json"],
    ["export", path, "--markdown", "--out", "-"],
    ["export", path, "--jsonl", "--out", "-"],
    ["export", path, "--julia", "--out", "-"],
    ["list", "--all"],
    ["list", "--all", "--json"],
    ["search", "s", "--all"],
    ["search", "tool:bash", "--all"],
    ["fork", path],
    ...Array.from({ length: perOddity }, (_, index) => [
      "show",
      path,
      `e${1 + index + perOddity * (oddities.length - 1)}`,
    ]),
  ];
  const failed: string[] = [];
  const runs = commands.map((command) => async () => {
    const { stderr } = await place.run(command);
    if (/bough: /.test(stderr)) failed.push(`${command.join(" ")}: ${stderr}`);
  });
  for (let from = 0; from < runs.length; from += 4) await Promise.all(runs.slice(from, from + 4).map((run) => run()));
  expect(failed).toEqual([]);
});
