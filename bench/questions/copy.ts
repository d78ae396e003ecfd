import { peakMemory, timed } from "../clock.ts";
import { patientContenders, yardstick } from "../contenders.ts";
import { type Question, slowSize, thousands, timesBetter } from "../question.ts";

const bounds = { 10000: [25, 70], 100000: [40, 80] } as const;

export const question: Question<{ readonly file: string }> = {
  name: "copy",
  asks: "Copy a whole session, all branches, into a session of its own",
  figures: [
    { name: "copy", unit: "ms", better: "less" },
    { name: "peak", unit: "MB", better: "less" },
  ],
  cases: ({ sizes, data }) =>
    sizes.map((entries) => ({
      label: thousands(entries),
      isSlow: entries >= slowSize,
      contenders: [...patientContenders, yardstick],
      args: { file: data.session({ entries }) },
      targets: timesBetter("copy of a whole session", "copy", bounds, entries),
    })),
  async measure({ load, scratch }, { file }) {
    const engine = await load();
    const copied = await timed(() => engine.copy?.(file, { folder: scratch }));
    return { copy: copied.ms, peak: peakMemory() };
  },
};
