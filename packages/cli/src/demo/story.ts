import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { AgentHarness, type RunOutcome } from "@bough/harness";
import { createModels, type FauxResponseStep, fauxProvider } from "@earendil-works/pi-ai";
import { type CompactionEntry, extractiveSummarizer, type Session } from "bough";
import { demoProvider } from "../chat/demo-model.ts";
import type { Cli } from "../cli.ts";
import { toolSet } from "../tools/tool-set.ts";
import { crashInMidTurn } from "./crash.ts";
import { said, script, scriptAfterCrash } from "./script.ts";

export interface StoryParts {
  readonly cli: Cli;
  readonly session: Session;
  /** Where the files are that the tools work on. */
  readonly folder: string;
  readonly step: (text: string, detail: string) => Promise<void>;
}

/** Runs a conversation through the harness, and says of each step what really came of it. Answers with the entry labelled cause-found. */
export async function tellStory(parts: StoryParts): Promise<string> {
  const { session } = parts;
  const harness = await openHarness(parts, script);
  let causeFound: string;
  try {
    causeFound = await findCause(parts, harness);
    await tryLoop(parts, harness);
    await goBack(parts, harness, causeFound);
    await fillContext(parts, harness);
  } finally {
    await harness.close();
  }
  await surviveCrash(parts);
  await session.appendSessionName("Lost events");
  return causeFound;
}

async function openHarness({ session, folder }: StoryParts, steps: readonly FauxResponseStep[]): Promise<AgentHarness> {
  const faux = fauxProvider({
    ...{ api: "demo", provider: demoProvider },
    models: [{ id: "scripted", contextWindow: 18_000 }],
  });
  const models = createModels();
  models.setProvider(faux.provider);
  faux.setResponses([...steps]);
  return await AgentHarness.open({
    ...{ session, models, model: faux.getModel(), tools: toolSet(folder), toolExecution: "sequential" },
    systemPrompt: `You work on the files in ${folder}.`,
    summarizer: extractiveSummarizer,
    compaction: { reserveTokens: 9_000, keepRecentTokens: 500 },
    doing: "bough demo",
  });
}

async function findCause({ session, step }: StoryParts, harness: AgentHarness): Promise<string> {
  let steered: Promise<string> | undefined;
  const off = harness.on("tool_execution_start", ({ toolName }) => {
    if (toolName === "bash") steered ??= harness.steer(said.steer);
  });
  const outcome = await answered(harness.prompt(said.opening));
  off();
  const [found] = await resultsOf(session, "bash");
  await step("A prompt, and tools on real files", verdictIn(found));
  if (!(await session.getEntry((await steered) ?? "")))
    throw new Error("what was said meanwhile is not in the session");
  await step("Steered while a tool ran", "said to the model right after that turn");
  const id = outcome.entryId as string;
  await harness.appendLabel(id, "cause-found");
  return id;
}

async function tryLoop({ session, step }: StoryParts, harness: AgentHarness): Promise<void> {
  await answered(harness.prompt(said.loop));
  const results = await resultsOf(session, "bash");
  await step("An attempt that doesn't work", verdictIn(results.at(-1)));
}

async function goBack({ session, step }: StoryParts, harness: AgentHarness, causeFound: string): Promise<void> {
  const outcome = await harness.navigateTree(causeFound, { summarize: true });
  if (outcome.cancelled || !outcome.summaryEntry) throw new Error("the branch has no summary");
  await step("Back to @cause-found, another way", "a summary of what was left comes along");
  const { entryId } = await answered(harness.prompt(said.queue));
  const results = await resultsOf(session, "bash");
  const verdict = verdictIn(results.at(-1));
  if (!verdict.startsWith("ok")) throw new Error(verdict);
  await harness.appendLabel(entryId as string, "green");
  await step("The second branch", verdict);
}

async function fillContext({ step }: StoryParts, harness: AgentHarness): Promise<void> {
  let compaction: CompactionEntry | undefined;
  const off = harness.on("session_compact", ({ compactionEntry, reason }) => {
    if (reason === "threshold") compaction = compactionEntry;
  });
  await answered(harness.prompt(said.log));
  off();
  if (!compaction) throw new Error("the context was not compacted");
  const sizes = [compaction.tokensBefore, compaction.tokensAfter ?? 0].map((tokens) => tokens.toLocaleString("en-US"));
  await step("A context got full, and was compacted", `${sizes[0]} tokens before, ${sizes[1]} after`);
}

async function surviveCrash(parts: StoryParts): Promise<void> {
  const { cli, session, folder, step } = parts;
  const file = session.storage.ref.location as string;
  const log = join(folder, "deploy.log");
  await crashInMidTurn(cli, { session: file, prompt: said.deploy, whenExists: log, cwd: folder });
  await step("Another process went on, and was killed", "SIGKILL, while its tool ran");
  while (!readFileSync(log, "utf8").includes("deployed")) await later(50, undefined, { signal: cli.signal });
  await session.refresh({ follow: true });
  const harness = await openHarness(parts, scriptAfterCrash);
  try {
    const { status, calls } = harness.recovered;
    if (status !== "interrupted") throw new Error("nothing was found interrupted");
    const found = calls.map(({ toolName, outcome }) => `${toolName}: outcome ${outcome}`).join(", ");
    await step("Taken up again", `${found}; so it is not run twice`);
    await answered(harness.continue());
    await step("Continued", "the model looked, and it had gone through");
  } finally {
    await harness.close();
  }
}

async function answered(run: Promise<RunOutcome>): Promise<RunOutcome> {
  const outcome = await run;
  if (outcome.status === "answered") return outcome;
  throw outcome.error ?? new Error(outcome.message?.errorMessage ?? `a run ended as ${outcome.status}`);
}

/** What a tool printed, call by call. */
async function resultsOf(session: Session, tool: string): Promise<readonly string[]> {
  const path = await session.getBranch();
  return path.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "toolResult" || entry.message.toolName !== tool) return [];
    return [entry.message.content.map((block) => (block.type === "text" ? block.text : "")).join("\n")];
  });
}

/** What the check says of the program. */
function verdictIn(printed: string | undefined): string {
  return printed?.split("\n").find((line) => /^(?:ok|FAILED): /.test(line)) ?? "the check said nothing";
}
