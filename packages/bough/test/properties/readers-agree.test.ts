import fc from "fast-check";
import { expect, test } from "vitest";
import { assistant, type Session, user } from "../../src/index.ts";
import { expand } from "../../src/testing/index.ts";
import { readAsHarness, readAsPi, type Told } from "../support/reference-readers.ts";
import { jsonlRepo, newStory } from "../support/stories.ts";

/** A step of a session's life; `at` chooses among the entries so far, taken modulo their number. */
type Step =
  | { readonly does: "say" | "answer" | "custom" | "level" | "model" | "name" | "back to the start" | "compact" }
  | { readonly does: "move" | "summarise" | "label" | "compact from" | "another writes"; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constantFrom("say" as const, "answer" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom("custom", "level", "model", "name", "back to the start", "compact" as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom("move", "summarise", "label", "compact from", "another writes" as const),
      at: fc.nat(),
    }),
  },
) as fc.Arbitrary<Step>;

async function take(session: Session, step: Step, other: () => Promise<Session>): Promise<void> {
  const entries = await session.getEntries();
  const chosen = "at" in step ? entries[step.at % Math.max(entries.length, 1)]?.id : undefined;
  switch (step.does) {
    case "say":
      return void (await session.appendMessage(user("question")));
    case "answer":
      return void (await session.appendMessage({ ...assistant("answer"), provider: "acme", model: "large" }));
    case "custom":
      return void (await session.appendCustomEntry("state", entries.length));
    case "level":
      return void (await session.appendThinkingLevelChange(entries.length % 2 ? "high" : "low"));
    case "model":
      return void (await session.appendModelChange("acme", `m${entries.length}`));
    case "name":
      return void (await session.appendSessionName(`name ${entries.length}`));
    case "back to the start":
      return void (await session.moveTo(null));
    case "compact":
      return void (await session.appendCompaction({ summary: "S", tokensBefore: 1 }));
  }
  if (chosen === undefined) return;
  switch (step.does) {
    case "move":
      return void (await session.moveTo(chosen));
    case "summarise":
      return void (await session.moveTo(chosen, { summary: "B" }));
    case "label":
      return void (await session.appendLabel(chosen, "mark"));
    case "compact from": {
      const path = await session.getBranch();
      const kept = path[step.at % Math.max(path.length, 1)]?.id;
      return void (await session.appendCompaction({
        summary: "S",
        tokensBefore: 1,
        ...(kept !== undefined && { firstKeptEntryId: kept }),
      }));
    }
    case "another writes":
      return void (await (await other()).appendMessage(user("from another process")));
  }
}

const speaking = new Set(["message", "custom_message", "compaction", "branch_summary"]);

async function toldByBough(session: Session): Promise<Told> {
  const entries = await session.buildContextEntries();
  const { model, thinkingLevel } = await session.buildContext();
  return {
    ids: entries.filter((entry) => speaking.has(entry.type)).map((entry) => entry.id),
    model: model && `${model.provider}/${model.modelId}`,
    thinkingLevel,
  };
}

test("whatever a session went through, its file tells pi, the harness and bough the same", async () => {
  const runs = process.env.BOUGH_CAMPAIGN ? 2000 : 60;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { session, path, text } = await newStory();
      const other = async () => jsonlRepo().open(path);
      for (const next of steps) await take(session, next, other);
      await session.close();
      const wanted = await toldByBough(await jsonlRepo().open(path));
      expect(readAsPi(text())).toEqual(wanted);
      expect(readAsHarness(text())).toEqual(wanted);
    }),
    { numRuns: runs },
  );
});

test("the reference readers tell histories of other programs apart", () => {
  const base = `H()\nU(u1,-,"one")\nA(a1,u1,"1")\nU(u2,a1,"two")\nA(a2,u2,"2")`;
  const moved = expand(`${base}\nP(l1,a2,a1)`);
  expect(readAsPi(moved).ids).toEqual(["u1", "a1", "u2", "a2"]);
  expect(readAsHarness(moved).ids).toEqual(["u1", "a1"]);
  expect(readAsPi(expand(`${base}\nL(l1,a1,u1,"x")`)).ids).toEqual(["u1", "a1"]);
  expect(readAsPi(expand(`${base}\nK(k1,a2,u2,"S")`)).ids).toEqual(["k1", "u2", "a2"]);
});
