import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "../../../src/storage/files/sha256.ts";

function expected(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

test("digests are those of node:crypto, whatever the length", () => {
  for (let length = 0; length < 300; length++) expect(sha256("a".repeat(length))).toBe(expected("a".repeat(length)));
});

test("digests are those of node:crypto, whatever the text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => sha256(text) === expected(text)));
});
