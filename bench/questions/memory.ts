import { peakMemory } from "../clock.ts";
import { contextOf } from "../contenders/contender.ts";
import { patientContenders } from "../contenders.ts";
import { type Question, slowSize, thousands } from "../question.ts";

export const question: Question<{ readonly file: string }> = {
  name: "memory",
  asks: "The most memory a process held that opened a session and built its context",
  figures: [
    { name: "peak", unit: "MB", better: "less" },
    { name: "before", unit: "MB", better: "less" },
  ],
  cases: ({ sizes, data }) =>
    sizes.map((entries) => ({
      label: thousands(entries),
      isSlow: entries >= slowSize,
      contenders: patientContenders,
      args: { file: data.session({ entries }) },
      targets: [
        {
          row: `peak memory after open + context, ${thousands(entries)}`,
          figure: "peak",
          is: "at most",
          gate: 70,
          aim: 52,
        },
      ],
    })),
  async measure({ load, scratch }, { file }) {
    const engine = await load();
    const before = peakMemory();
    const session = await engine.open(file, { folder: scratch });
    await contextOf(session);
    return { peak: peakMemory(), before };
  },
};
