import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/context.ts";
import { isEditable } from "../../src/context/edits.ts";
import {
  assistant,
  branchSummary,
  chain,
  compaction,
  customMessage,
  type Draft,
  edit,
  message,
  result,
  user,
  words,
} from "./notation.ts";

const contentAfter = (...drafts: readonly Draft[]) =>
  buildSessionContext(chain(...drafts)).messages.map((stored) => ("content" in stored ? stored.content : undefined));

test("pi-106 null omits an entry, content replaces it, the last edit counts, and above the edit the original is back", () => {
  const path = chain(user("u1"), assistant("a1"), edit("e1", "a1", { content: "other" }), edit("e2", "a1", null));
  const at = (length: number) => words(buildSessionContext(path.slice(0, length)).messages);
  expect([at(2), at(3), at(4)]).toEqual([["u1", "a1"], ["u1", "other"], ["u1"]]);
});

test("pi-108 text for a reply or a result becomes one text block, for a user it stays text", () => {
  const drafts = [user("u1"), assistant("a1"), result("r1", "k1"), customMessage("c1")];
  const edits = drafts.map(({ id }) => edit(`e-${id}`, id, { content: "new" }));
  const block = [{ type: "text", text: "new" }];
  expect(contentAfter(...drafts, ...edits)).toEqual(["new", block, block, "new"]);
});

test("TP-11 an edit takes a rejected image out of the context and leaves the entry as it was", () => {
  const image = message("u1", { role: "user", content: [{ type: "image", data: "AAAA", mimeType: "image/heic" }] });
  const placeholder = { content: [{ type: "text", text: "[image left out]" }] };
  expect(contentAfter(image, edit("e1", "u1", placeholder))).toEqual([placeholder.content]);
  expect(contentAfter(image)).toEqual([image.message && (image.message as { content: unknown }).content]);
});

test("system messages, summaries and commands can't be edited", () => {
  const drafts = [
    message("s1", { role: "system", content: "prompt" }),
    message("x1", { role: "bashExecution", command: "ls", output: "", cancelled: false, truncated: false }),
    branchSummary("b1"),
    compaction("p1", "s1"),
  ];
  expect(chain(...drafts).map(isEditable)).toEqual([false, false, false, false]);
  const path = [...drafts.slice(0, 3), ...["s1", "x1", "b1"].map((id) => edit(`e-${id}`, id, null))];
  expect(buildSessionContext(chain(...path)).messages).toHaveLength(3);
});

test("an edit of a later, an unknown or its own entry, and a malformed one, say nothing", () => {
  const path = [
    edit("e1", "u1", null),
    user("u1"),
    edit("e2", "zz", null),
    edit("e3", "e3", null),
    edit("e4", "u1", "text"),
    edit("e5", "u1", undefined),
  ];
  expect(words(buildSessionContext(chain(...path)).messages)).toEqual(["u1"]);
});

test("what a compaction keeps can have been edited before it, and can be edited after it", () => {
  const edits = [edit("e1", "u2", { content: "once" }), edit("e2", "u2", { content: "twice" })] as const;
  const path = chain(user("u1"), user("u2"), edits[0], compaction("p1", "u2"), edits[1]);
  const at = (length: number) => words(buildSessionContext(path.slice(0, length)).messages);
  expect([at(4), at(5)]).toEqual([
    ["summary p1", "once"],
    ["summary p1", "twice"],
  ]);
});
