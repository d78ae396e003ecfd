import { peakMemory, timed } from "../clock.ts";
import { fileContenders, patientContenders } from "../contenders.ts";
import { type Question, type Target, thousands } from "../question.ts";

const large = 5000;
const row = `list of ${thousands(large)} without a catalogue, without search text`;
const target: Target = { row, figure: "list", is: "times better", gate: 7, aim: 20 };
const textTarget: Target = { ...target, row: row.replace("without search", "with search"), gate: 3, aim: 6 };

interface Args {
  readonly folder: string;
  readonly withText?: boolean;
}

/** pi's lists hold the text of all messages, for its search; bough reads it when it is asked for. */
export const question: Question<Args> = {
  name: "list",
  asks: "List the sessions of a folder, in a fresh process and once more",
  figures: [
    { name: "list", unit: "ms", better: "less" },
    { name: "again", unit: "ms", better: "less" },
    { name: "peak", unit: "MB", better: "less" },
    { name: "sessions", unit: "", better: "more" },
  ],
  cases: ({ folders, data }) =>
    folders.flatMap((sessions) => [
      {
        label: String(sessions),
        contenders: sessions >= large ? patientContenders : fileContenders,
        args: { folder: data.folder({ sessions }) },
        targets: sessions === large ? [target] : [],
      },
      {
        label: `${sessions}, with text`,
        contenders: ["bough-session-manager", "pi-1.6"],
        args: { folder: data.folder({ sessions }), withText: true },
        targets: sessions === large ? [textTarget] : [],
      },
    ]),
  async measure({ load }, { folder, withText = false }) {
    const engine = await load();
    const list = async () => {
      const sessions = (await engine.list?.(folder)) ?? [];
      // To ask for the text is to read it.
      return sessions.filter((session) => !withText || session.allMessagesText !== undefined).length;
    };
    const first = await timed(list);
    const peak = peakMemory();
    const again = await timed(list);
    return { list: first.ms, again: again.ms, peak, sessions: first.result };
  },
};
