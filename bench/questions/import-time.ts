import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { median, timed } from "../clock.ts";
import { piEntry } from "../contenders/pi.ts";
import { type ContenderName, contenders } from "../contenders.ts";
import type { Question } from "../question.ts";

interface Args {
  /** Within bough; the main module of others. */
  readonly module?: string;
}

const modules = ["bough", "bough/jsonl", "bough/session-manager", "bough/context", "bough/outline"];
const times = 9;

export const question: Question<Args> = {
  name: "import-time",
  asks: "What importing costs a process, against one that does nothing",
  figures: [
    { name: "import", unit: "ms", better: "less" },
    { name: "bare node", unit: "ms", better: "less" },
    { name: "of bare node", unit: "×", better: "less" },
  ],
  cases: () => [
    ...modules.map((module) => ({
      label: module,
      contenders: ["bough-jsonl" as const],
      args: { module },
      targets:
        module === "bough"
          ? [
              {
                row: `import "bough", of the start of bare node`,
                figure: "of bare node",
                is: "at most" as const,
                gate: 0.15,
                aim: 0.08,
              },
            ]
          : [],
    })),
    { label: "pi", contenders: ["pi-1.6", "pi-0.73"], args: {} },
  ],
  async measure({ name, folder }, { module = entryOf(name, folder) }) {
    const bare: number[] = [];
    const importing: number[] = [];
    for (let time = 0; time < times; time++) {
      bare.push(await runOf(""));
      importing.push(await runOf(`import ${JSON.stringify(module)}; process.exit();`));
    }
    const cost = median(importing) - median(bare);
    return { import: cost, "bare node": median(bare), "of bare node": cost / median(bare) };
  },
};

async function runOf(program: string): Promise<number> {
  const args = ["--input-type=module", "--eval", program];
  return (await timed(() => execFileSync(process.execPath, args, { cwd: import.meta.dirname }))).ms;
}

function entryOf(name: ContenderName, folder: string): string {
  return pathToFileURL(piEntry(folder, contenders[name].peer?.package as string)).href;
}
