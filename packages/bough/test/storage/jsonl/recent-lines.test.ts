import { expect, test } from "vitest";
import { joinedLines } from "../../../src/storage/jsonl/own-line.ts";
import { RecentLines } from "../../../src/storage/jsonl/recent-lines.ts";
import { user } from "./records.ts";

const kept = (recent: RecentLines, ids: readonly string[]) =>
  Array.from(recent.linesOf(new Set(ids)), ([id, { bytes }]) => [id, Buffer.from(bytes).toString()]);

test("lines that were written are kept whole, one that was cut off is not", () => {
  const recent = new RecentLines();
  const [a, b, c] = ["a", "b", "c"].map((id) => user(id));
  recent.add(
    Buffer.concat([Buffer.from("\n"), joinedLines([a, b] as never), Buffer.from(c?.json.slice(0, 20) as string)]),
  );
  recent.add(joinedLines([user("d")]));
  expect(kept(recent, ["a", "c", "d", "none"])).toEqual([
    ["a", a?.json],
    ["d", user("d").json],
  ]);
});

test("of many the last are kept, and of one that is long nothing", () => {
  const recent = new RecentLines();
  const text = "x".repeat(10_000);
  const ids = Array.from({ length: 1000 }, (_, index) => `n${index}`);
  for (const id of ids) recent.add(joinedLines([user(id, null, text)]));
  recent.add(joinedLines([user("long", null, "x".repeat(5 << 20))]));
  const found = kept(recent, [...ids, "long"]).map(([id]) => id);
  expect(found).toEqual(ids.slice(-found.length));
  expect(found.length * text.length).toBeGreaterThan(3 << 20);
  expect(found.length * text.length).toBeLessThan(5 << 20);
});

test("long lines between short ones are kept as long as there is room", () => {
  const recent = new RecentLines();
  for (let round = 0; round < 20; round++) {
    recent.add(joinedLines([user(`short${round}`)]));
    recent.add(joinedLines([user(`long${round}`, null, "x".repeat(700_000))]));
  }
  const found = kept(recent, Array.from({ length: 20 }, (_, round) => [`short${round}`, `long${round}`]).flat());
  expect(found.at(-1)?.[0]).toBe("long19");
  expect(found.length).toBeGreaterThan(6);
});
