import type { JsonObject } from "../entry/json.ts";
import { RecordWalk, type Sought } from "./record-walk.ts";

/*
 * Opening a session needs the head of each record and the certainty that the rest is JSON, but not the rest. So the bytes
 * of a line are walked over, checked as strictly as decoding them would, and only what heads are made of is decoded. What
 * is unusual in any way is left to the decoder, so that both always say the same.
 */
const usage = {
  ...({ input: "value", output: "value", cacheRead: "value", cacheWrite: "value" } as const),
  cost: { total: "value" },
} satisfies Sought;

/** What a head depends on, and whether the body can be used. */
const sought: Sought = {
  ...({ type: "value", id: "value", parentId: "value", timestamp: "value", customType: "value" } as const),
  ...({ targetId: "value", role: "value", label: "value", name: "value", title: "value" } as const),
  ...({ activeToolNames: "value", injectedRules: "value" } as const),
  ...({ summary: "kind", provider: "kind", modelId: "kind", model: "kind" } as const),
  usage,
  message: { role: "value", provider: "value", usage },
};

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Null where programs can't be loaded; undefined until it is asked for. */
let walk: RecordWalk | null | undefined;

/**
 * Of a record in the current form the members that its head, and whether its body can be used, depend on, others left
 * out. Undefined where only decoding the line can tell.
 */
export function scanRecord(line: Uint8Array): JsonObject | undefined {
  if (walk === undefined) walk = loadedWalk();
  const found = walk?.walk(line);
  return found && (JSON.parse(strict.decode(found)) as JsonObject);
}

function loadedWalk(): RecordWalk | null {
  try {
    return new RecordWalk(sought);
  } catch {
    return null;
  }
}
