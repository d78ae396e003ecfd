import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/context.ts";
import { chain, message, user } from "./notation.ts";

const promptOf = (...stored: readonly object[]) => {
  const drafts = stored.map((fields, index) => message(`s${index}`, { role: "system", content: "", ...fields }));
  return buildSessionContext(chain(user("u1"), ...drafts)).systemPrompt;
};

test("the prompt is every message's text in order, then the sections as the last patch left them", () => {
  const base = { content: "Base.", sections: { rules: "Be brief.", tools: "Use sh.", cwd: "In /w." } };
  const patch = { content: [{ type: "text", text: "Also this." }], sections: { rules: "Be thorough.", tools: null } };
  expect(promptOf(base)).toBe("Base.\n\nBe brief.\n\nUse sh.\n\nIn /w.");
  expect(promptOf(base, patch)).toBe("Base.\n\nAlso this.\n\nBe thorough.\n\nIn /w.");
});

test("pi-110 a path without system messages, or with empty ones, has no prompt of its own", () => {
  expect(promptOf()).toBeUndefined();
  expect(promptOf({ content: null }, { sections: { rules: "" } })).toBeUndefined();
});

test("tools that system messages add or remove don't touch the active tools", () => {
  const stored = message("s1", { role: "system", content: "x", toolsAdded: [{ name: "sh" }] });
  expect(buildSessionContext(chain(stored)).activeToolNames).toBeNull();
});
