import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { installed } from "./install.ts";

interface Seen {
  readonly step?: string;
  readonly name?: string;
  readonly listed?: readonly { readonly name?: string }[];
}

/** What a program sees that was written for pi, with the SessionManager of `module`. */
function seenWith(module: string): readonly Seen[] {
  const home = temporaryFolder();
  const args = [join(import.meta.dirname, "drive-manager.mjs"), module, join(home, "sessions")];
  return JSON.parse(execFileSync(process.execPath, args, { env: { ...process.env, HOME: home }, encoding: "utf8" }));
}

/** pi leaves a session's name behind when it branches off. */
function withoutName(seen: readonly Seen[]): readonly Seen[] {
  return seen.map(({ name: _, listed, ...rest }) => ({
    ...rest,
    ...(listed && { listed: listed.map(({ name: _, ...session }) => session) }),
  }));
}

test("a program written for pi's SessionManager sees the same with bough's, step by step", () => {
  const pi = join(
    installed("pi", ["@earendil-works/pi-coding-agent@1.6.0"]),
    "node_modules/@earendil-works/pi-coding-agent/dist/index.js",
  );
  const bough = seenWith(resolve(import.meta.dirname, "../../src/session-manager/index.ts"));
  const before = bough.findIndex(({ step }) => step?.endsWith("branched off"));
  expect(before).toBeGreaterThan(0);
  const seenByPi = seenWith(pi);
  expect(seenByPi.slice(0, before)).toEqual(bough.slice(0, before));
  expect(withoutName(seenByPi)).toEqual(withoutName(bough));
});
