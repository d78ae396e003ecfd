import { execFile } from "node:child_process";
import { isDeepStrictEqual, promisify } from "node:util";
import type { Session } from "bough";
import type { SessionContext } from "bough/context";
import type { Cli } from "../cli.ts";
import { makeProject } from "../demo/project.ts";
import { tellStory } from "../demo/story.ts";
import type { Output } from "../output.ts";
import { withRepo } from "../repo.ts";
import { shortId } from "../shown-name.ts";
import { showTree } from "./tree.ts";

export async function demo(cli: Cli): Promise<number> {
  const { stdout } = cli;
  const step = (text: string, detail: string) =>
    stdout.line(explained(stdout, text.padEnd(stepCells), detail, stdout.paint("green", "✓ ")));
  await stdout.line(`\n${stdout.paint("bold", "A conversation is a tree: go back, try again, lose nothing.")}\n`);
  return await withRepo(cli, {}, async (repo) => {
    const folder = makeProject();
    const session = await repo.create({ cwd: folder });
    const causeFound = await tellStory({ cli, session, folder, step });
    const fork = await session.fork(causeFound);
    await step("Forked at @cause-found", "a session of its own");
    const path = session.storage.ref.location ?? session.id;
    const context = asPrinted(await session.buildContext());
    const isSame = isDeepStrictEqual(await contextReadAnew(path), context);
    if (isSame) await step("Read by another process", `the same ${context.messages.length} messages for the model`);
    else await stdout.line(`  ${stdout.paint("red", "✗")} Another process reads another context`);
    await stdout.line();
    await showTree(cli, session, {});
    await sayWhatNext(cli, session, fork);
    return isSame ? 0 : 1;
  });
}

/** The context as this same program prints it when it is started again. */
async function contextReadAnew(path: string): Promise<unknown> {
  const program = [...process.execArgv, process.argv[1] as string];
  const { stdout } = await promisify(execFile)(process.execPath, [...program, "context", path, "--json"]);
  const { leafId: _, diagnostics: __, ...context } = JSON.parse(stdout) as Record<string, unknown>;
  return context;
}

function asPrinted(context: SessionContext): SessionContext {
  return JSON.parse(JSON.stringify(context)) as SessionContext;
}

async function sayWhatNext({ stdout, env }: Cli, session: Session, fork: Session): Promise<void> {
  const bough = env.npm_lifecycle_event === undefined ? "bough" : "npm run -s bough --";
  const id = shortId(session.id);
  await stdout.line(`\n  ${stdout.paint("dim", "session")}  ${session.storage.ref.location ?? session.id}`);
  await stdout.line(`  ${stdout.paint("dim", "fork   ")}  ${fork.storage.ref.location ?? fork.id}`);
  await stdout.line(`  ${stdout.paint("dim", "files  ")}  ${session.header.cwd}`);
  await stdout.line(`\n${stdout.paint("bold", "What to type next")}\n`);
  const suggestions = [
    [`tree ${id} --filter all`, "every entry, state and labels too"],
    [`context ${id}`, "what a model would be sent now"],
    [`chat --session ${id} --model demo`, "go on talking, offline"],
    [`goto ${id} @cause-found`, "back again; the next entry starts a third branch"],
    [`export ${id} --markdown --out -`, "the conversation to read"],
  ] as const;
  const cells = Math.max(...suggestions.map(([command]) => `${bough} ${command}`.length)) + 2;
  for (const [command, meaning] of suggestions) {
    await stdout.line(explained(stdout, `${bough} ${command}`.padEnd(cells), meaning));
  }
}

const stepCells = 42;
const meaningCells = 46;

/** What is meant beside or, where the terminal is too narrow, below it. */
function explained(output: Output, text: string, meaning: string, bullet = ""): string {
  const note = output.paint("dim", meaning);
  const fits = text.length + meaningCells + 4 <= output.width;
  return fits ? `  ${bullet}${text}${note}` : `  ${bullet}${text.trimEnd()}\n    ${note}`;
}
