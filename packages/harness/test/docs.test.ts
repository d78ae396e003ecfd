import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import * as api from "../src/index.ts";

const root = resolve(import.meta.dirname, "../../..");
const guide = readFileSync(resolve(root, "docs/harness.md"), "utf8");
const part = (title: string) => guide.split(/^## /m).find((text) => text.startsWith(title)) ?? "";

test("docs/harness.md has every hook with its kind, in order", () => {
  const rows = Array.from(part("Hooks").matchAll(/^\| `([\w.]+)` \| (transform|veto) \|/gm), ([, name, kind]) => [
    name,
    kind,
  ]);
  expect(rows).toEqual(Object.entries(api.hookRules).map(([name, { kind }]) => [name, kind]));
});

test("docs/harness.md has every event", () => {
  const source = readFileSync(resolve(root, "packages/harness/src/hooks/events.ts"), "utf8");
  const table = /interface HarnessEvents \{(.*?)\n\}/s.exec(source)?.[1] ?? "";
  const names = Array.from(table.matchAll(/^ {2}(\w+):/gm), ([, name]) => name);
  expect(names.length).toBeGreaterThan(20);
  const told = Array.from(part("Events").matchAll(/`([a-z]+(?:_[a-z]+)*)`/g), ([, name]) => name);
  expect(names.filter((name) => !told.includes(name))).toEqual([]);
});

test("docs/harness.md has every public method", () => {
  const methods = Object.getOwnPropertyNames(api.AgentHarness.prototype).filter((name) => name !== "constructor");
  const getters = new Set([
    "phase",
    "isIdle",
    "signal",
    "model",
    "thinkingLevel",
    "tools",
    "activeToolNames",
    "hasPendingMessages",
  ]);
  const told = part("Methods");
  expect(methods.filter((name) => !getters.has(name) && name !== "queued" && !told.includes(`\`${name}`))).toEqual([]);
});

test("docs/extensions.md has every member of what extensions are handed", () => {
  const told = readFileSync(resolve(root, "docs/extensions.md"), "utf8");
  const source = ["extension", "extension-context", "extension-host"]
    .map((name) => readFileSync(resolve(root, `packages/harness/src/extensions/${name}.ts`), "utf8"))
    .join("\n");
  const membersOf = (name: string) => {
    const text = new RegExp(`interface ${name}(?: extends \\w+)? \\{(.*?)\\n\\}`, "s").exec(source)?.[1] ?? "";
    return Array.from(text.matchAll(/^ {2}(?:readonly )?(\w+)[?(<:]/gm), ([, member = ""]) => member);
  };
  for (const name of ["ExtensionAPI", "ExtensionContext", "ExtensionCommandContext", "ExtensionUI"]) {
    expect(membersOf(name).length).toBeGreaterThan(1);
    expect(membersOf(name).filter((member) => !told.includes(member))).toEqual([]);
  }
});

test("the values exported are these", () => {
  expect(Object.keys(api).sort()).toEqual([
    ...["AgentHarness", "ExtensionHost", "TrustedFolders", "hookRules", "loadExtensions", "plainTheme"],
    "summarizerOfModel",
  ]);
});
