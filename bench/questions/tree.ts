import { peakMemory, timed } from "../clock.ts";
import { fileContenders, patientContenders, yardstick } from "../contenders.ts";
import { type Question, slowSize, thousands, timesBetter } from "../question.ts";

interface Args {
  readonly file: string;
  readonly as: "nodes" | "walk";
}

const bounds = { 1000: [5, 9], 10000: [18, 45], 100000: [40, 130] } as const;

export const question: Question<Args> = {
  name: "tree",
  asks: "Open a session and get its tree: visit every entry with its parent and label, or take nodes that hold entries",
  figures: [
    { name: "open + tree", unit: "ms", better: "less" },
    { name: "open", unit: "ms", better: "less" },
    { name: "peak", unit: "MB", better: "less" },
  ],
  cases: ({ sizes, data }) =>
    sizes.flatMap((entries) => {
      const file = data.session({ entries });
      const isSlow = entries >= slowSize;
      const engines = isSlow ? patientContenders : fileContenders;
      const targets = timesBetter("open + tree", "open + tree", bounds, entries);
      return [
        {
          isSlow,
          contenders: [...engines, yardstick],
          label: `${thousands(entries)}, visited`,
          args: { file, as: "walk" as const },
          targets,
        },
        { isSlow, contenders: engines, label: `${thousands(entries)}, as nodes`, args: { file, as: "nodes" as const } },
      ];
    }),
  async measure({ load, scratch }, { file, as }) {
    const engine = await load();
    const open = await timed(() => engine.open(file, { folder: scratch }));
    const session = open.result;
    const tree = await timed(() => (as === "nodes" ? session.tree?.() : session.walk?.(() => undefined)));
    const peak = peakMemory();
    await session.close?.();
    return { "open + tree": open.ms + tree.ms, open: open.ms, peak };
  },
};
