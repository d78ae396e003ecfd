import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageFront, messageHead } from "../../../src/storage/jsonl/message-front.ts";

const text = fc.oneof(
  fc.string({ unit: "binary-ascii", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constant("x".repeat(600)),
);
const line = fc
  .record({
    id: text,
    parentId: fc.option(text),
    timestamp: text,
    role: fc.oneof(fc.constantFrom("user", "assistant"), text),
    /** What is done to the line. */
    from: fc.nat(200),
    to: fc.nat(200),
    by: fc.constantFrom(undefined, "", " ", "\\", '"', "\u0000", "null", "é"),
  })
  .map(({ id, parentId, timestamp, role, from, to, by }) => {
    const entry = { type: "message", id, parentId, timestamp, message: { role, content: "said" } };
    const whole = JSON.stringify(entry);
    return by === undefined ? whole : whole.slice(0, from) + by + whole.slice(Math.max(from, to));
  });

test("the head of a message is read from the same lines, and as the same, byte by byte and by an expression", () => {
  fc.assert(
    fc.property(line, fc.nat(3), (stored, start) => {
      const bytes = Buffer.from(`${"\n".repeat(start)}${stored}\n`);
      const end = bytes.length - 1;
      const front = new MessageFront();
      const isFound = front.find(bytes, start, end);
      const head = messageHead(bytes, start, end, 7);
      // The expression looks no further than most heads go.
      if (isFound && front.roleEnd - start > 500) return;
      expect(head !== undefined).toBe(isFound);
      if (!head) return;
      const said = (from: number, to: number) => bytes.toString("latin1", from, to);
      expect(head).toEqual({
        position: 7,
        type: "message",
        id: said(front.idStart, front.idEnd),
        parentId: JSON.parse(said(front.parentStart, front.parentEnd)),
        timestamp: said(front.timeStart, front.timeEnd),
        role: front.role(bytes),
        unread: true,
      });
    }),
    { numRuns: 5000 },
  );
});
