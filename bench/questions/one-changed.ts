import { appendFileSync } from "node:fs";
import { median, timed } from "../clock.ts";
import type { CatalogView } from "../contenders/contender.ts";
import { userMessage } from "../messages.ts";
import type { ChangingFolder, Question } from "../question.ts";

const times = 9;

export const question: Question<ChangingFolder> = {
  name: "one-changed",
  asks: "Bring a catalog up to date, its text index too, after one of many sessions was added to",
  figures: [
    { name: "what changed", unit: "ms", better: "less" },
    { name: "with a look at every session", unit: "ms", better: "less" },
    { name: "the look alone", unit: "ms", better: "less" },
  ],
  cases: ({ folders, data }) =>
    folders.map((sessions) => ({
      label: String(sessions),
      contenders: ["bough-catalog"],
      args: data.changingFolder({ sessions }),
      targets: [
        { row: `catalog after one of ${sessions} changed`, figure: "what changed", is: "at most", gate: 20, aim: 5 },
      ],
    })),
  async measure({ load }, { folder, file, catalog }) {
    const open = await (await load()).catalog?.(folder, catalog);
    if (!open) throw new Error("there is no catalog");
    const view = open();
    await view.update();
    const looks: number[] = [];
    const updates: number[] = [];
    for (let time = 0; time < times; time++) {
      looks.push(await updated(view));
      const words = `changed ${process.hrtime.bigint()} ${time}`;
      appendFileSync(file, `${JSON.stringify(entry(words))}\n`);
      updates.push(await updated(view));
      if ((await view.search(words)) !== 1) throw new Error("what changed was not taken in");
    }
    const [look, update] = [median(looks), median(updates)];
    return { "what changed": update - look, "with a look at every session": update, "the look alone": look };
  },
};

async function updated(view: CatalogView): Promise<number> {
  return (await timed(() => view.update())).ms;
}

function entry(words: string) {
  const timestamp = new Date().toISOString();
  return { type: "message", id: words.replaceAll(" ", "-"), parentId: null, timestamp, message: userMessage(words) };
}
