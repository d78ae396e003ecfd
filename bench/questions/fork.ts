import { peakMemory, timed } from "../clock.ts";
import { fileContenders, patientContenders, yardstick } from "../contenders.ts";
import { type Question, slowSize, thousands, timesBetter } from "../question.ts";

const bounds = { 1000: [2.5, 5], 10000: [12, 30], 100000: [25, 70] } as const;

export const question: Question<{ readonly file: string }> = {
  name: "fork",
  asks: "Open a session and fork the path to its leaf",
  figures: [
    { name: "open + fork", unit: "ms", better: "less" },
    { name: "open", unit: "ms", better: "less" },
    { name: "peak", unit: "MB", better: "less" },
  ],
  cases: ({ sizes, data }) =>
    sizes.map((entries) => ({
      label: thousands(entries),
      isSlow: entries >= slowSize,
      contenders: [...(entries >= slowSize ? patientContenders : fileContenders), yardstick],
      args: { file: data.session({ entries }) },
      targets: timesBetter("fork of the active path", "open + fork", bounds, entries),
    })),
  async measure({ load, scratch }, { file }) {
    const engine = await load();
    const open = await timed(() => engine.open(file, { folder: scratch }));
    const fork = await timed(() => open.result.fork?.());
    const peak = peakMemory();
    await open.result.close?.();
    return { "open + fork": open.ms + fork.ms, open: open.ms, peak };
  },
};
