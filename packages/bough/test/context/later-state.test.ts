import { expect, test } from "vitest";
import { defineLater, LaterState, type StateLook } from "../../src/context/later-state.ts";

test("each piece is looked for once, also where there is none", () => {
  const looks: string[] = [];
  const found = { model: null, thinkingLevel: "high", activeToolNames: null, injectedRules: [] } as const;
  const look: StateLook = (piece) => {
    looks.push(piece);
    return found[piece];
  };
  const state = new LaterState(look);
  expect(looks).toEqual([]);
  for (let time = 0; time < 2; time++) {
    const { model, thinkingLevel, activeToolNames, injectedRules } = state;
    expect({ model, thinkingLevel, activeToolNames, injectedRules }).toEqual(found);
  }
  expect(looks).toEqual(["model", "thinkingLevel", "activeToolNames", "injectedRules"]);
});

test("what fails is looked for again", () => {
  let isThere = false;
  const state = new LaterState(() => {
    if (!isThere) throw new Error("not now");
    return null as never;
  });
  const context: { model?: unknown } = {};
  defineLater(context, "model", () => state.model);
  expect(() => context.model).toThrow("not now");
  isThere = true;
  expect(context.model).toBe(null);
});
