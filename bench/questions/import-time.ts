import { execFileSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { median, timed } from "../clock.ts";
import { piEntry } from "../contenders/pi.ts";
import { type ContenderName, contenders } from "../contenders.ts";
import type { Case, Question } from "../question.ts";

/** A module of bough, else a command of node's, else the main module of others. */
interface Args {
  readonly module?: string;
  readonly command?: readonly string[];
}

const modules = ["bough", "bough/jsonl", "bough/session-manager", "bough/context", "bough/outline"];
const times = 9;

export const question: Question<Args> = {
  name: "import-time",
  asks: "What importing, and help from the command line, cost a process, against one that does nothing",
  figures: [
    { name: "added", unit: "ms", better: "less" },
    { name: "bare node", unit: "ms", better: "less" },
    { name: "of bare node", unit: "×", better: "less" },
  ],
  cases: (): Case<Args>[] => [
    {
      label: "a module of one line",
      contenders: ["bough-jsonl"],
      args: { module: new URL("../contenders/nothing.mjs", import.meta.url).href },
    },
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
    {
      label: "bough --help",
      contenders: ["bough-jsonl"],
      args: { command: [fileURLToPath(new URL("../../packages/cli/bin/bough.js", import.meta.url)), "--help"] },
      targets: [
        {
          row: "bough --help, above the start of bare node",
          figure: "of bare node",
          is: "at most",
          gate: 0.4,
          aim: 0.3,
        },
      ],
    },
    { label: "pi", contenders: ["pi-1.6", "pi-0.73"], args: {} },
  ],
  async measure({ name, folder }, { module, command: given }) {
    const command = given ?? importing(module ?? entryOf(name, folder));
    const bare: number[] = [];
    const whole: number[] = [];
    for (let time = 0; time < times; time++) {
      bare.push(await runOf(program("")));
      whole.push(await runOf(command));
    }
    const added = median(whole) - median(bare);
    return { added, "bare node": median(bare), "of bare node": added / median(bare) };
  },
};

async function runOf(args: readonly string[]): Promise<number> {
  return (await timed(() => execFileSync(process.execPath, args, { cwd: import.meta.dirname }))).ms;
}

function importing(module: string): readonly string[] {
  return program(`import ${JSON.stringify(module)}; process.exit();`);
}

function program(code: string): readonly string[] {
  return ["--input-type=module", "--eval", code];
}

function entryOf(name: ContenderName, folder: string): string {
  return pathToFileURL(piEntry(folder, contenders[name].peer?.package as string)).href;
}
