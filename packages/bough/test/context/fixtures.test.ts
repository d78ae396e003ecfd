import { expect, test } from "vitest";
import { contextOf } from "../../src/context/context.ts";
import { toLlmMessages } from "../../src/context/llm-messages.ts";
import { readContext } from "../../src/context/window.ts";
import type { SessionTreeEntry } from "../../src/entry/entry.ts";
import { read, runSync } from "../../src/session/program.ts";
import { JsonlLog } from "../../src/storage/jsonl/jsonl-log.ts";
import { Ascent } from "../../src/tree/path.ts";
import { sharedPath } from "../support/shared.ts";
import { refusal } from "./provider-valid.ts";

const files = ["pi-v1-before-compaction.jsonl", "pi-v1-large-session.jsonl"];

test.skipIf(sharedPath("fixtures") === undefined).each(files)(
  "every 25th leaf of %s has a context that any provider takes, the same from its window alone, and stable until the next compaction (skipped without the shared fixtures)",
  (file) => {
    const log = JsonlLog.open(sharedPath("fixtures", file) as string, { durability: "process" });
    const { heads } = log.changes();
    const entries = log.read(heads.map((head) => head.position));
    const byId = new Map(heads.map((head) => [head.id, head]));
    const options = { header: log.header };
    const bytes = new Map<SessionTreeEntry | undefined, string>();
    for (let length = 1; length <= heads.length; length += 25) {
      const whole = contextOf({ entries: entries.slice(0, length) }, options);
      const path = new Ascent(byId, heads[length - 1]?.id ?? null);
      expect(runSync(readContext(path, read, options), log)).toEqual(whole);
      expect(whole.diagnostics).toEqual([]);
      expect(whole.context.model).toEqual({ provider: expect.any(String), modelId: expect.any(String) });
      const projection = toLlmMessages(whole.context.messages);
      expect(refusal(projection)).toBeUndefined();
      const compaction = entries.slice(0, length).findLast((entry) => entry.type === "compaction");
      const projected = projection.map((message) => `${JSON.stringify(message)}\n`).join("");
      expect(projected.startsWith(bytes.get(compaction) ?? "")).toBe(true);
      bytes.set(compaction, projected);
    }
    log.close();
  },
);
