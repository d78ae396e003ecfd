import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { median, timed } from "../clock.ts";
import { contextOf } from "../contenders/contender.ts";
import { patientContenders, yardstick } from "../contenders.ts";
import { numbered } from "../messages.ts";
import { type Question, slowSize, thousands, timesBetter } from "../question.ts";

const bounds = { 10000: [30, 100], 100000: [500, 1300] } as const;
const times = 9;

export const question: Question<{ readonly file: string }> = {
  name: "context-again",
  asks: "Build the context again after an append",
  figures: [{ name: "context", unit: "ms", better: "less" }],
  cases: ({ sizes, data }) =>
    sizes.map((entries) => ({
      label: thousands(entries),
      isSlow: entries >= slowSize,
      contenders: [...patientContenders, yardstick],
      args: { file: data.session({ entries }) },
      targets: timesBetter("context again after an append", "context", bounds, entries),
    })),
  async measure({ load, scratch }, { file }) {
    const copy = join(scratch, "session.jsonl");
    copyFileSync(file, copy);
    const session = await (await load()).open(copy, { folder: scratch });
    await contextOf(session);
    const measured: number[] = [];
    for (let time = 0; time < times; time++) {
      await session.append(numbered(time, "more"));
      measured.push((await timed(() => contextOf(session))).ms);
    }
    await session.close?.();
    return { context: median(measured) };
  },
};
