import { peakMemory, timed } from "../clock.ts";
import type { Question, Target } from "../question.ts";

function target(sessions: number): Target {
  const row = `search without an index, ${sessions} sessions`;
  return { row, figure: "search", is: "times better", gate: 9, aim: 20 };
}

/** pi searches what its list holds of the messages; bough what tools were told and printed, too. */
export const question: Question<{ readonly folder: string; readonly phrase: string }> = {
  name: "search",
  asks: "Search the sessions of a folder of which nothing is known yet",
  figures: [
    { name: "search", unit: "ms", better: "less" },
    { name: "again", unit: "ms", better: "less" },
    { name: "peak", unit: "MB", better: "less" },
    { name: "found", unit: "", better: "more" },
  ],
  cases: ({ folders, data }) =>
    folders.flatMap((sessions) =>
      [
        { label: `${sessions}, a phrase`, phrase: data.phrase },
        { label: `${sessions}, a word that is nowhere`, phrase: "zeppelin" },
      ].map(({ label, phrase }) => ({
        label,
        contenders: ["bough-catalog", "pi-1.6"],
        args: { folder: data.folder({ sessions }), phrase },
        targets: phrase === data.phrase ? [target(sessions)] : [],
      })),
    ),
  async measure({ load }, { folder, phrase }) {
    const engine = await load();
    const first = await timed(() => engine.search?.(folder, phrase));
    const peak = peakMemory();
    const again = await timed(() => engine.search?.(folder, phrase));
    return { search: first.ms, again: again.ms, peak, found: first.result ?? 0 };
  },
};
