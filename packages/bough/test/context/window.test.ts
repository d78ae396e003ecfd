import fc from "fast-check";
import { expect, test } from "vitest";
import { contextOf } from "../../src/context/context.ts";
import { LaterState } from "../../src/context/later-state.ts";
import type { SessionContextBuildOptions } from "../../src/context/options.ts";
import { isBoundary } from "../../src/context/selection.ts";
import { deriveSessionContextState } from "../../src/context/state-fold.ts";
import { readStatePath, readStatePiece } from "../../src/context/state-path.ts";
import { readContext, type StateBefore } from "../../src/context/window.ts";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import { type EntryHead, headOf } from "../../src/entry/head.ts";
import type { SyncEntryLog } from "../../src/session/entry-log.ts";
import { read, runSync } from "../../src/session/program.ts";
import { Ascent, pathTo } from "../../src/tree/path.ts";
import { paths, trees } from "./histories.ts";
import { assistant, calls, chain, compaction, type Draft, model, reset, result, user } from "./notation.ts";

/** A log whose heads may promise what its bodies no longer hold; it counts what is read. */
function logOf(bodies: readonly SessionTreeEntry[]) {
  const reads: number[][] = [];
  const log = {
    read(positions: readonly number[]) {
      reads.push([...positions]);
      return positions.map((position) => bodies[position] as SessionTreeEntry);
    },
  } as unknown as SyncEntryLog;
  return { log, reads };
}

function readAt(entries: readonly SessionTreeEntry[], leaf: string, options?: SessionContextBuildOptions) {
  const { log, reads } = logOf(entries);
  return { ...runSync(readContext(new Ascent(headsOf(entries), leaf), read, options), log), reads };
}

/** The same; state that only a walk to the root tells is looked for when it is asked for. */
function readLater(entries: readonly SessionTreeEntry[], leaf: string, options?: SessionContextBuildOptions) {
  const { log, reads } = logOf(entries);
  const heads = headsOf(entries);
  const { header } = options ?? {};
  const stateBefore: StateBefore = ({ id }) =>
    new LaterState((piece) => {
      const known = runSync(readStatePiece(new Ascent(heads, id), piece, read), log);
      return deriveSessionContextState(known, header && { header })[piece];
    });
  return { ...runSync(readContext(new Ascent(heads, leaf), read, options, stateBefore), log), reads };
}

function headsOf(entries: readonly SessionTreeEntry[]) {
  return new Map(entries.map((entry, position) => [entry.id, headOf(entry, position)]));
}

/** A path whose heads are given root first. */
function ascentOf(heads: readonly EntryHead[]): Ascent {
  return new Ascent(new Map(heads.map((head) => [head.id, head])), heads.at(-1)?.id ?? null);
}

const drop = (entries: readonly SessionTreeEntry[]) => entries.filter((_, index) => index % 3 !== 1);
const options: SessionContextBuildOptions = {
  header: { provider: "v1", modelId: "old", thinkingLevel: "low" },
  entryTransforms: [drop],
  entryProjectors: { notes: (entry, index) => [{ role: "user", content: `${entry.id} ${index}`, timestamp: 0 }] },
};

test("reading the active window of any leaf gives what the whole path gives, diagnostics too", () => {
  fc.assert(
    fc.property(trees(60), fc.boolean(), (entries, withOptions) => {
      const given = withOptions ? options : {};
      const byId = new Map(entries.map((entry) => [entry.id, entry]));
      for (const { id } of entries) {
        const { reads, ...lazy } = readAt(entries, id, given);
        const { heads, cut } = pathTo(byId, id);
        // What cuts a path is told where the window reaches it.
        const isMet = !heads.some(isBoundary) || lazy.diagnostics.some(({ code }) => code === cut?.code);
        expect(lazy).toEqual(contextOf({ entries: heads, ...(cut && isMet && { cut }) }, given));
        const positions = reads.flat();
        expect(new Set(positions).size).toBe(positions.length);
      }
    }),
    { numRuns: 400 },
  );
});

test("state that is looked for later is the same state", () => {
  fc.assert(
    fc.property(trees(60), fc.boolean(), (entries, withOptions) => {
      const given = withOptions ? options : {};
      for (const { id } of entries) {
        const { reads, ...later } = readLater(entries, id, given);
        const { reads: _, ...now } = readAt(entries, id, given);
        expect(later).toEqual(now);
      }
    }),
    { numRuns: 400 },
  );
});

test("what changed between an entry that a compaction keeps and a reset counts when it is looked for later", () => {
  const entries = chain(assistant("a"), model("m", "acme/other"), reset("x"), user("u"), compaction("p", "a"));
  const { context } = readLater(entries, "p", {});
  expect(context.model).toEqual({ provider: "acme", modelId: "other" });
});

test("reading the state of any leaf gives what the whole path gives", () => {
  fc.assert(
    fc.property(trees(60), (entries) => {
      const byId = new Map(entries.map((entry) => [entry.id, entry]));
      const heads = new Map(entries.map((entry, position) => [entry.id, headOf(entry, position)]));
      for (const { id } of entries) {
        const { log } = logOf(entries);
        const known = runSync(readStatePath(new Ascent(heads, id), read), log);
        expect(deriveSessionContextState(known)).toEqual(deriveSessionContextState(pathTo(byId, id).heads));
      }
    }),
    { numRuns: 200 },
  );
});

test("bodies that turn out damaged when they are read change nothing of that", () => {
  fc.assert(
    fc.property(paths(40), fc.infiniteStream(fc.nat(2)), (entries, rot) => {
      const rotten = entries.map((entry) => {
        if (rot.next().value !== 0) return entry;
        const { id, parentId, timestamp, type } = entry;
        return { type: "damaged", id, parentId, timestamp, originalType: type } as SessionTreeEntry;
      });
      const heads = entries.map(headOf);
      const { log } = logOf(rotten);
      expect(runSync(readContext(ascentOf(heads), read), log)).toEqual(contextOf({ entries: rotten }));
    }),
    { numRuns: 400 },
  );
});

const long = (count: number): Draft[] =>
  Array.from({ length: count }, (_, turn) => [
    user(`u${turn}`),
    calls(`c${turn}`, ["k"]),
    result(`r${turn}`, "k"),
    assistant(`a${turn}`),
  ]).flat();
const snapshot = { model: null, thinkingLevel: "off", activeToolNames: null, injectedRules: [] };
const idsRead = (path: readonly SessionTreeEntry[]) => {
  const { reads } = readAt(path, path.at(-1)?.id ?? "");
  return reads.map((positions) => positions.map((position) => path[position]?.id));
};

test("above a compaction with a snapshot nothing is read but what it keeps", () => {
  const path = chain(...long(1000), compaction("p1", "a999", { state: snapshot }), user("u"));
  expect(idsRead(path)).toEqual([["p1"], ["a999", "u"]]);
});

test("above a compaction without a snapshot only the newest entry of each state is read, in one go", () => {
  const state = [
    model("m1", "acme/large"),
    { type: "active_tools_change", id: "x1", activeToolNames: [] },
    { type: "ttsr_injection", id: "t1", injectedRules: ["r"] },
    { type: "thinking_level_change", id: "l1", thinkingLevel: "high" },
    { type: "thinking_level_change", id: "l2", thinkingLevel: "low" },
  ];
  const path = chain(...state, ...long(1000), compaction("p0", "p0"), compaction("p1", "p1"), user("u"));
  expect(idsRead(path)).toEqual([["p1"], ["x1", "t1", "l2", "a999", "u"]]);
});

test("above a compaction without a snapshot nothing is read before somebody asks for it, and then once", () => {
  const state = [
    { type: "ttsr_injection", id: "t1", injectedRules: ["r"] },
    { type: "thinking_level_change", id: "l1", thinkingLevel: "high" },
  ];
  const path = chain(...state, ...long(1000), compaction("p1", "a999"), user("u"));
  const { context, reads } = readLater(path, "u");
  const idsOf = () => reads.map((positions) => positions.map((position) => path[position]?.id));
  expect(idsOf()).toEqual([["p1"], ["a999", "u"]]);
  expect(context).toMatchObject({ model: { provider: "acme" }, messages: [{}, {}, {}] });
  expect(idsOf()).toHaveLength(2);
  expect([context.thinkingLevel, context.thinkingLevel]).toEqual(["high", "high"]);
  expect([context.injectedRules, context.activeToolNames]).toEqual([["r"], null]);
  expect(context.injectedRules).toBe(context.injectedRules);
  expect(idsOf().slice(2)).toEqual([["l1"], ["t1"]]);
});

test("after a reset the window is read, and the state of a compaction above it", () => {
  const path = chain(...long(100), compaction("p1", "p1", { state: snapshot }), ...[user("u"), reset("x"), user("v")]);
  expect(idsRead(path)).toEqual([["x"], ["p1"], ["v"]]);
});

test("replies that name no model cost a logarithm of reads", () => {
  const unnamed = long(1000).map((draft) => {
    const stored = draft.message as { readonly role: string };
    return stored.role === "assistant" ? { ...draft, message: { ...stored, provider: "unknown" } } : draft;
  });
  const path = chain(...unnamed, compaction("p1", "p1"), user("u"));
  expect(readAt(path, "u").reads.length).toBeLessThan(16);
});

test("an empty path reads nothing", () => {
  const { log, reads } = logOf([]);
  expect(runSync(readContext(ascentOf([]), read), log)).toEqual(contextOf({ entries: [] }));
  expect(reads).toEqual([]);
});
