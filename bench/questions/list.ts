import { peakMemory, timed } from "../clock.ts";
import { fileContenders, patientContenders } from "../contenders.ts";
import { type Question, type Target, thousands } from "../question.ts";

const large = 5000;
const row = `list of ${thousands(large)} without a catalogue, without search text`;
const target: Target = { row, figure: "list", is: "times better", gate: 7, aim: 20 };

/** pi's lists hold the text of all messages too, for its search; bough's don't. */
export const question: Question<{ readonly folder: string }> = {
  name: "list",
  asks: "List the sessions of a folder, in a fresh process and once more",
  figures: [
    { name: "list", unit: "ms", better: "less" },
    { name: "again", unit: "ms", better: "less" },
    { name: "peak", unit: "MB", better: "less" },
    { name: "sessions", unit: "", better: "more" },
  ],
  cases: ({ folders, data }) =>
    folders.map((sessions) => ({
      label: String(sessions),
      isSlow: sessions >= large,
      contenders: sessions >= large ? patientContenders : fileContenders,
      args: { folder: data.folder({ sessions }) },
      targets: sessions === large ? [target] : [],
    })),
  async measure({ load }, { folder }) {
    const engine = await load();
    const first = await timed(() => engine.list?.(folder));
    const peak = peakMemory();
    const again = await timed(() => engine.list?.(folder));
    return { list: first.ms, again: again.ms, peak, sessions: first.result?.length ?? 0 };
  },
};
