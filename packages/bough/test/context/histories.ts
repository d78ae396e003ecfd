import fc from "fast-check";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import { type Draft, placed } from "./notation.ts";

/* Random histories, the nasty ones above all: few ids for many calls, half-written content, edits and cuts anywhere. */

const text = fc.constantFrom("hello", "", "   ", "emoji 🔥", "half \ud83d", "\udd25", "```\n````", "</summary>");
const callId = fc.constantFrom("k1", "k2", "k3", "", "half \ud83d", undefined);
const image = fc
  .constantFrom("AAAA", "", "blob:sha256:00")
  .map((data) => ({ type: "image", data, mimeType: "image/png" }));
const textBlock = fc.record({ type: fc.constant("text"), text }, { requiredKeys: ["type"] });
const junkBlock = fc.constantFrom<unknown[]>(null, 3, "text", {}, { type: "document" }, { type: "image" });
const spoken = fc.oneof(
  text,
  fc.array(fc.oneof({ weight: 4, arbitrary: textBlock }, image, junkBlock), { maxLength: 3 }),
  fc.constantFrom<unknown[]>(null, undefined, 3),
);
const call = fc.record(
  {
    type: fc.constant("toolCall"),
    id: callId,
    name: fc.constantFrom("sh", "sh", "read", "", undefined),
    arguments: fc.constantFrom<unknown[]>({}, { path: "a" }, { deep: ["\ud83d"], "\udd25": 1 }, null, "text", []),
    thoughtSignature: fc.constant("sig"),
  },
  { requiredKeys: ["type", "id", "name", "arguments"] },
);
const thinking = fc.record(
  { type: fc.constant("thinking"), thinking: text, thinkingSignature: fc.constantFrom("sig", "", "half \ud83d") },
  { requiredKeys: ["type", "thinking"] },
);
const replyBlock = fc.oneof(
  { weight: 4, arbitrary: call },
  { weight: 2, arbitrary: textBlock },
  thinking,
  image,
  junkBlock,
);

const user = fc.record({ role: fc.constant("user"), content: spoken });
const reply = fc.record({
  role: fc.constant("assistant"),
  content: fc.oneof({ weight: 5, arbitrary: fc.array(replyBlock, { maxLength: 4 }) }, text, fc.constant(null)),
  provider: fc.constantFrom("acme", "other", "unknown", undefined),
  model: fc.constantFrom("large", "small", ""),
  stopReason: fc.constantFrom("stop", "toolUse", "toolUse", "length", "error", "aborted", undefined),
});
const toolResult = fc.record({
  role: fc.constant("toolResult"),
  toolCallId: callId,
  toolName: fc.constantFrom("sh", "read", undefined),
  content: spoken,
  isError: fc.constantFrom(true, false, undefined),
});
const other = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "custom", "fileMention", "hookMessage"), content: spoken }),
  fc.record({
    role: fc.constant("bashExecution"),
    command: text,
    output: fc.oneof(text, fc.constant(undefined)),
    exitCode: fc.constantFrom(0, 1, null),
    cancelled: fc.boolean(),
    truncated: fc.boolean(),
    excludeFromContext: fc.boolean(),
  }),
  fc.record({ role: fc.constantFrom("branchSummary", "compactionSummary"), summary: text }),
);

export const storedMessage = fc.oneof(
  { weight: 3, arbitrary: user },
  { weight: 5, arbitrary: reply },
  { weight: 6, arbitrary: toolResult },
  other,
);

type Make = (id: string, ids: readonly string[]) => Draft;

/** Entries that only add to a context. */
export const addition: fc.Arbitrary<Make> = fc.oneof(
  {
    weight: 12,
    arbitrary: storedMessage.map(
      (message): Make =>
        (id) => ({ type: "message", id, message }),
    ),
  },
  {
    weight: 1,
    arbitrary: text.map(
      (summary): Make =>
        (id) => ({ type: "branch_summary", id, fromId: "root", summary }),
    ),
  },
  {
    weight: 1,
    arbitrary: spoken.map(
      (content): Make =>
        (id) => ({ type: "custom_message", id, customType: "n", content, display: true }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.nat(7).map(
      (kind): Make =>
        (id) =>
          stateDraft(id, kind),
    ),
  },
);

const replacement = fc.oneof(
  fc.constant(null),
  spoken.map((content) => ({ content })),
  fc.constant("malformed"),
);
const snapshot = fc.constantFrom<unknown[]>(
  undefined,
  undefined,
  { model: { provider: "acme", modelId: "snap" }, thinkingLevel: "max", activeToolNames: null, injectedRules: ["s"] },
  { model: null, thinkingLevel: "max", activeToolNames: ["x"], injectedRules: [] },
  { model: null },
);
const tail = fc.option(
  fc.array(
    storedMessage.map((message) => ({ ...message, timestamp: 7 })),
    { maxLength: 3 },
  ),
  { nil: undefined, freq: 4 },
);

/** Entries that take something out of a context. */
export const removal: fc.Arbitrary<Make> = fc.oneof(
  fc.record({ summary: text, back: fc.nat(9), state: snapshot, retainedTail: tail }).map(
    ({ back, ...fields }): Make =>
      (id, ids) => ({ type: "compaction", id, tokensBefore: 9, firstKeptEntryId: keep(back, id, ids), ...fields }),
  ),
  fc.record({ back: fc.nat(6), replacement }).map(
    ({ back, replacement }): Make =>
      (id, ids) => ({ type: "context_edit", id, targetId: ids.at(-1 - back) ?? "zz", replacement }),
  ),
  fc.constant<Make>((id) => ({ type: "reset_boundary", id })),
  fc.constant<Make>((id) => ({ type: "damaged", id, originalType: "message" })),
);

export const step = fc.oneof({ weight: 6, arbitrary: addition }, { weight: 1, arbitrary: removal });

/** A tree of up to `size` entries: most continue the one before, some an earlier one, a few nothing that is there. */
export function trees(size: number): fc.Arbitrary<SessionTreeEntry[]> {
  const branching = fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.nat(20));
  return fc.array(fc.tuple(step, branching), { maxLength: size, size: "max" }).map((steps) => {
    const entries: SessionTreeEntry[] = [];
    for (const [index, [make, back]] of steps.entries()) {
      const ids = entries.map((entry) => entry.id);
      const parentId = index === 0 ? null : (ids.at(-1 - back) ?? "gone");
      entries.push(placed(make(`e${index}`, ids), parentId, index));
    }
    return entries;
  });
}

/** One path of up to `size` entries. */
export function paths(size: number, steps: fc.Arbitrary<Make> = step): fc.Arbitrary<SessionTreeEntry[]> {
  return fc.array(steps, { maxLength: size, size: "max" }).map((makes) => {
    const ids: string[] = [];
    return makes.map((make, index) => {
      const entry = placed(make(`e${index}`, ids), ids.at(-1) ?? null, index);
      ids.push(entry.id);
      return entry;
    });
  });
}

function keep(back: number, id: string, ids: readonly string[]): string | undefined {
  if (back === 0) return id;
  if (back === 1) return undefined;
  return back === 2 ? "zz" : ids.at(2 - back);
}

function stateDraft(id: string, kind: number): Draft {
  switch (kind) {
    case 0:
      return { type: "model_change", id, provider: "acme", modelId: `m-${id}` };
    case 1:
      return { type: "model_change", id, provider: "other", modelId: "plan", role: "plan" };
    case 2:
      return { type: "thinking_level_change", id, thinkingLevel: id };
    case 3:
      return { type: "active_tools_change", id, activeToolNames: [id] };
    case 4:
      return { type: "ttsr_injection", id, injectedRules: [id] };
    case 5:
      return { type: "thinking_level_change", id, thinkingLevel: null };
    case 6:
      return { type: "label", id, targetId: "e0", label: "x" };
    default:
      return { type: "custom", id, customType: "notes", data: id };
  }
}
