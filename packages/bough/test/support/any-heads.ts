import fc from "fast-check";
import type { EntryHead } from "../../src/entry/head.ts";

const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
const types = [
  "message",
  "message",
  "message",
  "label",
  "leaf",
  "session_info",
  "custom",
  "compaction",
  "damaged",
  "x_new",
];

/** One head of a small world, where parents and targets may be missing, later, repeated or the entry itself. */
const anyHead = fc
  .record({
    id: fc.constantFrom(...ids),
    parentId: fc.constantFrom(null, "nowhere", ...ids),
    type: fc.constantFrom(...types),
    targetId: fc.constantFrom(null, "nowhere", ...ids),
    text: fc.constantFrom("", "  ", "one", "two"),
    customType: fc.constantFrom("note", "bough.x", "session_exit"),
    input: fc.nat(100),
  })
  .map((drawn): Omit<EntryHead, "position"> => {
    const { id, parentId, type, targetId, text, customType, input } = drawn;
    const base = { id, parentId, type, timestamp: "2026-01-01T00:00:00.000Z" };
    const usage = { input, output: 0, cacheRead: 0, cacheWrite: 0, cost: null };
    if (type === "message") return { ...base, role: "assistant", usage };
    if (type === "label") return { ...base, text, ...(targetId !== null && { targetId }) };
    if (type === "leaf") return { ...base, targetId };
    if (type === "session_info") return { ...base, text };
    if (type === "custom") return { ...base, customType };
    return base;
  });

/** Any history of up to 40 heads, however damaged. */
export const anyHeads: fc.Arbitrary<readonly EntryHead[]> = fc
  .array(anyHead, { maxLength: 40 })
  .map((heads) => heads.map((head, position) => ({ ...head, position })));

/** The heads that count: of several with one id the last, in its place. */
export function lastOfEach(heads: readonly EntryHead[]): EntryHead[] {
  const last = new Map(heads.map((head) => [head.id, head]));
  return heads.filter((head) => last.get(head.id) === head);
}
