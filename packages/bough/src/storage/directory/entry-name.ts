import { nodeCrypto } from "../files/node-modules.ts";

/** Ten digits, so that names sort as numbers do. */
const pattern = /^(\d{10})-.+\.json$/;
const plain = /^[a-z0-9_.-]$/;
const maxLength = 120;

export const lastSeq = 9_999_999_999;

/** The file of an entry: `<seq>-<escaped id>.json`. Two entries have two names on every file system. */
export function entryFileName(seq: number, id: string): string {
  return `${String(seq).padStart(10, "0")}-${escapedId(id)}.json`;
}

/** Undefined if the file is none of an entry. */
export function seqOf(name: string): number | undefined {
  const digits = pattern.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * No two ids share an escape, and no escape differs from another by case alone: letters, digits and `_.-` stand for
 * themselves where they are lower case, all else is `%` with two digits a byte, and what is long or can't be encoded is
 * `~` with its SHA-256.
 */
function escapedId(id: string): string {
  if (!id.isWellFormed()) return hashed(id);
  const escaped = Array.from(id, (character) => (plain.test(character) ? character : percent(character))).join("");
  return escaped.length > maxLength ? hashed(id) : escaped;
}

function percent(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

/** Of the code units, since UTF-8 has one form for all halves of pairs. */
function hashed(id: string): string {
  return `~${nodeCrypto().createHash("sha256").update(Buffer.from(id, "utf16le")).digest("hex")}`;
}
