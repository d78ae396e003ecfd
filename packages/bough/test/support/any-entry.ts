import fc from "fast-check";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import { specimens } from "../../src/testing/specimens.ts";

/** Without a negative zero, which JSON writes as zero. */
const anyJson = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const unknownMembers = fc.dictionary(
  fc.string({ unit: "binary" }).map((name) => `own ${name}`),
  anyJson,
);

/** An entry of any type, with any text in it and members that nobody knows, inside its message too. */
export const anyEntry: fc.Arbitrary<SessionTreeEntry> = fc
  .tuple(fc.constantFrom(...specimens()), fc.string({ unit: "binary", minLength: 1 }), unknownMembers, anyJson)
  .map(([entry, text, members, details]) => {
    const message = "message" in entry ? { message: { ...entry.message, ...members } } : {};
    return { ...entry, ...message, ...members, id: text, details } as unknown as SessionTreeEntry;
  });
