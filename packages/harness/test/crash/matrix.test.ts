import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AgentMessage, Session } from "bough";
import { toLlmMessages } from "bough/context";
import { JsonlRepo } from "bough/jsonl";
import { expect, test } from "vitest";
import { runProgram } from "../../../bough/test/support/child.ts";
import { startProgram } from "../../../bough/test/support/running.ts";
import { temporaryFolder } from "../../../bough/test/support/temporary-folder.ts";

const program = resolve(import.meta.dirname, "../programs/crash-run.ts");
const isCampaign = process.env.BOUGH_CAMPAIGN !== undefined;
/** In a campaign every step; else a few that are spread over all. */
const stride = isCampaign ? 1 : 11;
const timeout = isCampaign ? 3_600_000 : 300_000;

type Mode = "sequential" | "parallel";

/** Runs in one folder, one process after the other, each killed at its step; the last one to its end. */
async function live(root: string, kills: readonly number[], mode: Mode): Promise<number> {
  for (const killAt of kills) {
    const ended = await runProgram(program, [root, String(killAt), mode]);
    if (ended.exitCode === 0) break;
    expect(ended).toMatchObject({ exitCode: null, stderr: "" });
  }
  const last = await runProgram(program, [root, "0", mode]);
  expect(last).toMatchObject({ exitCode: 0, stderr: "" });
  return Number(last.stdout);
}

/** What must hold of a session and of the world, however often the process died. */
async function verify(root: string, starts: number): Promise<void> {
  const repo = new JsonlRepo({ root: join(root, "sessions") });
  const session = await repo.open("crash");
  const lines = readFileSync(join(root, "ledger.txt"), "utf8").split("\n");
  const effects = (name: string) => lines.filter((line) => line.startsWith(`effect ${name} `));
  expect(lines.filter((line) => line.startsWith("invalid"))).toEqual([]);
  expect(effects("unsafe").length).toBeLessThanOrEqual(1);
  expect(effects("probed").length).toBeLessThanOrEqual(1);
  expect(effects("safe").length).toBeLessThanOrEqual(starts);
  expect(new Set(effects("safe")).size).toBeLessThanOrEqual(1);
  const messages = (await session.getBranch()).flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  expectOneResultEach(messages);
  for (const name of ["safe", "unsafe", "probed"]) expectTruth(messages, name, effects(name).length);
  expectAnswers(messages, "go");
  for (const text of ["faster", "more"]) {
    const said = messages.filter((message) => message.role === "user" && message.content === text);
    const [sent, acknowledged] = [lines.includes(`sent ${text}`), lines.includes(`acknowledged ${text}`)];
    expect(said.length).toBeLessThanOrEqual(sent ? 1 : 0);
    expect(said.length).toBeGreaterThanOrEqual(acknowledged ? 1 : 0);
    if (said.length > 0) expectAnswers(messages, text);
  }
  expect(await session.findEntries("compaction")).toHaveLength(1);
  expect(await openRuns(session)).toEqual([]);
  expect((await session.check()).ok).toBe(true);
  expect(toLlmMessages((await session.buildContext()).messages).at(-1)?.role).toBe("assistant");
  await repo.close();
}

function expectOneResultEach(messages: readonly AgentMessage[]): void {
  const calls = messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
      : [],
  );
  const results = messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
  expect(results.toSorted()).toEqual(calls.toSorted());
}

/** What the model is told of a call agrees with what the world remembers. */
function expectTruth(messages: readonly AgentMessage[], name: string, effects: number): void {
  const result = messages.find((message) => message.role === "toolResult" && message.toolName === name);
  const { details, isError } = result as {
    readonly details?: { readonly recovered?: string };
    readonly isError: boolean;
  };
  if (details?.recovered === "not_started") expect(effects).toBe(0);
  if (!isError) expect(effects).toBeGreaterThan(0);
}

/** A reply ends what was said: one, unless something else was said before it came. */
function expectAnswers(messages: readonly AgentMessage[], text: string): void {
  const at = messages.findIndex((message) => message.role === "user" && message.content === text);
  const rest = messages.slice(at + 1);
  const next = rest.findIndex((message) => message.role === "user");
  const replies = rest.slice(0, next === -1 ? undefined : next).filter((message) => message.role === "assistant");
  const ends = replies.filter((reply) => reply.stopReason === "stop").length;
  expect(at).toBeGreaterThanOrEqual(0);
  expect(ends).toBeLessThanOrEqual(1);
  if (text !== "go") expect(ends).toBe(1);
}

async function openRuns(session: Session): Promise<readonly string[]> {
  const marks = (await session.findEntries("custom")).map(({ customType, id, data }) => ({ customType, id, data }));
  const ended = marks.flatMap(({ customType, data }) =>
    customType === "bough.op_end" ? [(data as { op: string }).op] : [],
  );
  return marks.flatMap(({ customType, id }) => (customType === "bough.op_start" && !ended.includes(id) ? [id] : []));
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

test.each<Mode>(["sequential", "parallel"])(
  "killed before and after every write and every effect a run (%s tools) is taken up, and nothing is lost, doubled or done twice",
  async (mode) => {
    const whole = temporaryFolder();
    const steps = await live(whole, [], mode);
    await verify(whole, 1);
    expect(steps).toBeGreaterThan(40);
    const first = mode === "parallel" && !isCampaign ? 4 : 1;
    const points = Array.from({ length: steps }, (_, index) => index + 1).filter(
      (point) => point % stride === first % stride,
    );
    const roots = points.map((point) => ({ point, root: temporaryFolder() }));
    await inParallel(roots, async ({ point, root }) => {
      await live(root, [point], mode);
      await verify(root, 2);
    });
    if (isCampaign) console.log(`${points.length} of ${steps} steps killed at (${mode})`);
  },
  timeout,
);

test(
  "recovery is killed as well, again and again",
  async () => {
    const seeds = Array.from({ length: isCampaign ? 30 : 2 }, (_, index) => index);
    const roots = seeds.map((seed) => ({ seed, root: temporaryFolder() }));
    await inParallel(roots, async ({ seed, root }) => {
      const kills = [7 + seed * 11, 3 + seed * 5, 2 + seed * 3].map((point) => 1 + (point % 50));
      await live(root, kills, seed % 2 === 0 ? "sequential" : "parallel");
      await verify(root, kills.length + 1);
    });
  },
  timeout,
);

test(
  "killed at any moment from outside it is taken up all the same",
  async () => {
    const seeds = Array.from({ length: isCampaign ? 60 : 2 }, (_, index) => index);
    const roots = seeds.map((seed) => ({ seed, root: temporaryFolder() }));
    await inParallel(roots, async ({ seed, root }) => {
      const starts = 3;
      for (let start = 1; start < starts; start++) {
        const running = startProgram(program, [root, "0", seed % 2 === 0 ? "sequential" : "parallel"]);
        const late = setTimeout(() => running.signal("SIGKILL"), 400 + ((seed * 137 + start * 311) % 900));
        await running.ended;
        clearTimeout(late);
      }
      await live(root, [], "sequential");
      await verify(root, starts);
    });
  },
  timeout,
);
