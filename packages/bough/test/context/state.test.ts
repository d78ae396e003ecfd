import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/context.ts";
import { getPathEntries } from "../../src/context/path-entries.ts";
import { deriveSessionContextState } from "../../src/context/state-fold.ts";
import { assistant, chain, compaction, type Draft, model, placed, reset, user } from "./notation.ts";

const stateOf = (...drafts: readonly Draft[]) => deriveSessionContextState(chain(...drafts));
const thinking = (id: string, thinkingLevel: unknown): Draft => ({ type: "thinking_level_change", id, thinkingLevel });
const tools = (id: string, activeToolNames: unknown): Draft => ({ type: "active_tools_change", id, activeToolNames });
const rules = (id: string, ...injectedRules: string[]): Draft => ({ type: "ttsr_injection", id, injectedRules });
const large = { provider: "acme", modelId: "large" };
const small = { provider: "other", modelId: "small" };

test("pi-96 omp-61 the model is that of the last change or of a reply after it", () => {
  expect(stateOf(model("m1", "other/small")).model).toEqual(small);
  expect(stateOf(model("m1", "other/small"), assistant("a1")).model).toEqual(large);
  expect(stateOf(assistant("a1"), model("m1", "other/small")).model).toEqual(small);
});

test("a model change for a role other than the default one says nothing about the conversation's model", () => {
  expect(stateOf(model("m1", "acme/large"), model("m2", "other/small", { role: "plan" })).model).toEqual(large);
  expect(stateOf(model("m1", "acme/large"), model("m2", "other/small", { role: "default" })).model).toEqual(small);
});

test("oh-my-pi's single model field is split at its first slash", () => {
  const change = { type: "model_change", id: "m1", model: "router/acme/large" };
  expect(stateOf(change).model).toEqual({ provider: "router", modelId: "acme/large" });
});

test("a reply whose provider nobody gave doesn't name the model", () => {
  expect(
    stateOf(model("m1", "other/small"), assistant("a1", "hi", { provider: "unknown", model: "unknown" })).model,
  ).toEqual(small);
});

test("pi-97 pi-98 LS-16 omp-61 state is that of the path, and a sibling's changes are invisible", () => {
  const tree = [
    ...chain(thinking("t1", "high"), tools("x1", ["sh"]), model("m1", "acme/large"), user("u1")),
    placed(thinking("t2", "low"), "u1"),
    placed(tools("x2", []), "t2"),
    placed(model("m2", "other/small"), "x2"),
  ];
  const at = (leaf: string) => deriveSessionContextState(getPathEntries(tree, leaf));
  expect(at("u1")).toEqual({ model: large, thinkingLevel: "high", activeToolNames: ["sh"], injectedRules: [] });
  expect(at("m2")).toEqual({ model: small, thinkingLevel: "low", activeToolNames: [], injectedRules: [] });
});

test("changes of a wrong shape are passed over", () => {
  const path = [thinking("t1", "high"), thinking("t2", null), tools("x1", ["sh"]), tools("x2", [1])];
  expect(stateOf(...path)).toMatchObject({ thinkingLevel: "high", activeToolNames: ["sh"] });
});

test("injected rules add up along the path, each once", () => {
  expect(stateOf(rules("r1", "b", "a"), reset("x1"), rules("r2", "a", "c")).injectedRules).toEqual(["b", "a", "c"]);
});

test("pi-95 state set before a compaction or a reset is still in force after it", () => {
  const path = [thinking("t1", "high"), tools("x1", ["sh"]), model("m1", "acme/large"), user("u1")];
  const expected = { model: large, thinkingLevel: "high", activeToolNames: ["sh"], injectedRules: [] };
  expect(stateOf(...path, compaction("p1", undefined, { retainedTail: [] }))).toEqual(expected);
  expect(stateOf(...path, reset("p1"))).toEqual(expected);
});

const snapshot = { model: small, thinkingLevel: "low", activeToolNames: ["edit"], injectedRules: ["r"] };

test("a compaction's snapshot stands for everything above it, and later entries override it", () => {
  const path = [thinking("t1", "high"), assistant("a1"), compaction("p1", "a1", { state: snapshot })];
  expect(stateOf(...path)).toEqual(snapshot);
  expect(stateOf(...path, thinking("t2", "off"), rules("r1", "s"))).toEqual({
    ...snapshot,
    thinkingLevel: "off",
    injectedRules: ["r", "s"],
  });
});

test.each([
  { ...snapshot, model: undefined },
  { ...snapshot, model: { provider: "acme" } },
  { ...snapshot, thinkingLevel: 3 },
  { ...snapshot, activeToolNames: [null] },
  { ...snapshot, injectedRules: undefined },
  "state",
])("a snapshot of the wrong shape counts for nothing: %j", (state) => {
  expect(stateOf(thinking("t1", "high"), compaction("p1", undefined, { state })).thinkingLevel).toBe("high");
});

test("the header of a v1 file gives the state before the first entry", () => {
  const header = { provider: "acme", modelId: "large", thinkingLevel: "minimal" };
  expect(buildSessionContext(chain(user("u1")), { header })).toMatchObject({ model: large, thinkingLevel: "minimal" });
  expect(buildSessionContext(chain(model("m1", "other/small")), { header }).model).toEqual(small);
});
