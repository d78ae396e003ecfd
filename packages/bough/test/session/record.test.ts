import { expect, test } from "vitest";
import type { EntryDraft, SessionTreeEntry } from "../../src/entry/entry.ts";
import { jsonCopy } from "../../src/entry/json.ts";
import { placedDraft, placedRecord, recordOf, serialisedDraft } from "../../src/session/record.ts";
import { specimens } from "../../src/testing/specimens.ts";

const place = { id: 'an "id"', parentId: "p", timestamp: "2026-01-01T00:00:00.000Z" };

function draftOf({ id: _, parentId: __, timestamp: ___, ...draft }: SessionTreeEntry): EntryDraft {
  return draft as EntryDraft;
}

test.each(specimens().map((entry) => [entry.type, draftOf(entry)] as const))(
  "a %s that was serialised before it had a place is the same entry",
  (_, draft) => {
    const { head, entry, json } = placedDraft(serialisedDraft(draft), place);
    expect({ head, entry, json }).toEqual(placedRecord(jsonCopy(draft), place));
    expect(recordOf(entry).json).toBe(json);
  },
);

test("where an entry stands is not for its draft to say, nor which of its members comes first", () => {
  const draft = { data: 1, parentId: "x", customType: "c", id: "y", timestamp: "z", type: "custom" } as EntryDraft;
  const { entry, json } = placedDraft(serialisedDraft(draft), { ...place, parentId: null });
  expect(entry).toEqual({ type: "custom", ...place, parentId: null, data: 1, customType: "c" });
  expect(Object.keys(JSON.parse(json))).toEqual(["type", "id", "parentId", "timestamp", "data", "customType"]);
});

test("what becomes of a draft after it was serialised changes nothing", () => {
  const content = [{ type: "text" as const, text: "before" }];
  const serialised = serialisedDraft({ type: "message", message: { role: "user", content, timestamp: 1 } });
  content[0] = { type: "text", text: "after" };
  const { entry } = placedDraft(serialised, place);
  expect(entry).toMatchObject({ message: { content: [{ text: "before" }] } });
  expect(Object.isFrozen((entry as { message?: object }).message)).toBe(true);
});
