import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { timed } from "../clock.ts";
import { piEntry } from "../contenders/pi.ts";
import { type ContenderName, contenders, patientContenders } from "../contenders.ts";
import { type Question, type Subject, slowSize, thousands, timesBetter } from "../question.ts";

const bounds = { 1000: [4, 7], 10000: [8, 14], 100000: [40, 75] } as const;

/** The shortest program that does it. */
const programs: Partial<Record<ContenderName, (subject: Subject) => string>> = {
  "bough-jsonl": () => `import { JsonlStorage } from "bough/jsonl"; import { Session } from "bough";
    const session = new Session(await JsonlStorage.open(process.argv[1]));
    const context = await session.buildContext(); ${printed}`,
  "bough-session-manager": () => `import { SessionManager } from "bough/session-manager";
    ${resumeWithManager}`,
  "pi-1.6": ({ folder }) => `import { SessionManager } from "${entryOf("pi-1.6", folder)}";
    ${resumeWithManager}`,
};

const printed = `const { messages, thinkingLevel, model } = context;
    process.stdout.write([messages.length, thinkingLevel, model.modelId].join(" ")); process.exit();`;
const resumeWithManager = `const manager = SessionManager.open(process.argv[1]);
    const context = manager.buildSessionContext(); ${printed}`;

export const question: Question<{ readonly file: string }> = {
  name: "resume",
  asks: "A whole process that resumes a session and builds its context, from its start to its end",
  figures: [{ name: "process", unit: "ms", better: "less" }],
  cases: ({ sizes, data }) =>
    sizes.map((entries) => ({
      label: thousands(entries),
      isSlow: entries >= slowSize,
      contenders: patientContenders,
      args: { file: data.session({ entries }) },
      targets: timesBetter("whole process resume + context", "process", bounds, entries),
    })),
  async measure(subject, { file }) {
    const program = programs[subject.name]?.(subject);
    if (program === undefined) throw new Error(`${subject.name} has no program that resumes`);
    const args = ["--input-type=module", "--eval", program, file];
    const { ms } = await timed(() => execFileSync(process.execPath, args, { cwd: import.meta.dirname }));
    return { process: ms };
  },
};

function entryOf(name: ContenderName, folder: string): string {
  return pathToFileURL(piEntry(folder, contenders[name].peer?.package as string)).href;
}
