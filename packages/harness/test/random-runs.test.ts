import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { type AgentMessage, isBoughError, type Session, type SessionTreeEntry } from "bough";
import { JsonlRepo } from "bough/jsonl";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AgentHarness, type HarnessEvent } from "../src/index.ts";
import { operationIn } from "../src/operations/operation.ts";
import { calls, says, scripted, tool } from "./support/scripted.ts";

type Act =
  | { readonly act: "prompt" | "steer" | "followUp" | "nextTurn" | "append" | "continue" | "compact" }
  | { readonly act: "abort" | "close" | "wait" | "crash" }
  | { readonly act: "navigate"; readonly to: number; readonly summarize: boolean };

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant("prompt" as const) }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constantFrom("steer", "followUp", "nextTurn", "append") }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom("continue", "compact", "abort", "close", "crash") }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("wait" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant("navigate" as const), to: fc.nat(), summarize: fc.boolean() }),
  },
) as fc.Arbitrary<Act>;

const replies = fc.array(fc.constantFrom("says", "calls", "calls twice", "fails", "throws"), { maxLength: 20 });
/** How long each step of each party takes, in turns of the event loop. */
const delays = fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 12 });

const runs = process.env.BOUGH_CAMPAIGN ? 20_000 : 150;
const timeout = process.env.BOUGH_CAMPAIGN ? 900_000 : 60_000;

test(
  "whatever is asked in whatever order, what was acknowledged is said once, waits, or was given back",
  async () => {
    const story = fc.record({ acts: fc.array(acts, { maxLength: 40 }), replies, delays });
    await fc.assert(
      fc.asyncProperty(story, async (plan) => await Story.play(plan)),
      { numRuns: runs },
    );
  },
  timeout,
);

/** What may be answered to somebody who asks at a wrong moment. */
const refusals: ReadonlySet<unknown> = new Set([
  ...[
    "busy",
    "closed",
    "invalid_state",
    "not_found",
    "nothing_to_compact",
    "leaf_moved",
    "compaction",
    "branch_summary",
  ],
]);

function isRefusal(error: unknown): boolean {
  return isBoughError(error) ? refusals.has(error.code) : (error as Error).name === "AbortError";
}

interface Plan {
  readonly acts: readonly Act[];
  readonly replies: readonly string[];
  readonly delays: readonly number[];
}

class Story {
  readonly #plan: Plan;
  readonly #folder: string;
  readonly #repo: JsonlRepo;
  readonly #session: Session;
  readonly #acknowledged = new Set<string>();
  readonly #appended = new Set<string>();
  readonly #givenBack = new Set<string>();
  readonly #underWay: Promise<unknown>[] = [];
  readonly #strange: unknown[] = [];
  #harness: AgentHarness | undefined;
  #count = 0;
  #ticks = 0;
  #callCount = 0;

  static async play(plan: Plan): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "bough-runs-"));
    const repo = new JsonlRepo({ root: folder, durability: "process" });
    try {
      await new Story(plan, folder, repo, await repo.create()).#play();
    } finally {
      await repo.close();
      rmSync(folder, { recursive: true });
    }
  }

  private constructor(plan: Plan, folder: string, repo: JsonlRepo, session: Session) {
    this.#plan = plan;
    this.#folder = folder;
    this.#repo = repo;
    this.#session = session;
    const { storage } = session;
    const append = storage.append.bind(storage);
    // Slower than a file, and in order as well.
    let before: Promise<unknown> = Promise.resolve();
    storage.append = async (request) => {
      const appended = before.then(async () => {
        await this.#delay();
        const ids = await append(request);
        await this.#delay();
        return ids;
      });
      before = appended.catch(() => undefined);
      return await appended;
    };
  }

  async #play(): Promise<void> {
    this.#harness = await this.#open(this.#session);
    for (const act of this.#plan.acts) {
      await this.#delay();
      if (act.act === "close") {
        await this.#harness.close();
        this.#harness = await this.#open(this.#session);
      } else if (act.act === "crash") await this.#judgeCrash();
      else this.#begin(act);
    }
    await Promise.all(this.#underWay);
    await this.#harness.waitForIdle();
    await this.#harness.close();
    const queued = textsQueued(this.#harness);
    const harness = await this.#open(this.#session);
    expect(textsQueued(harness)).toEqual(queued);
    await harness.close();
    expect(this.#strange).toEqual([]);
    await judge(this.#session, harness, [...this.#acknowledged, ...this.#appended], this.#givenBack);
  }

  async #open(session: Session): Promise<AgentHarness> {
    const steps = Array.from({ length: 200 }, (_, index) => this.#reply(index));
    const { models, model } = scripted(steps);
    const harness = await AgentHarness.open({
      ...{ session, models, model, abortGrace: 1, retry: { maxRetries: 1, baseDelayMs: 1 } },
      tools: [tool("act", async () => await this.#delay().then(() => "done"))],
      summarizer: async () => {
        await this.#delay();
        return { content: [{ type: "text", text: "a summary" }] };
      },
    });
    if (session === this.#session) harness.subscribe((event) => this.#hear(event));
    return harness;
  }

  /** What another process would find if this one died now. */
  async #judgeCrash(): Promise<void> {
    const acknowledged = [...this.#acknowledged];
    const givenBack = new Set(this.#givenBack);
    const path = join(this.#folder, `crashed-${this.#count++}.jsonl`);
    copyFileSync(this.#session.storage.ref.location as string, path);
    const session = await this.#repo.open(path);
    const harness = await this.#open(session);
    await judge(session, harness, acknowledged, givenBack);
    await harness.close();
    await session.close();
  }

  #begin(act: Act): void {
    this.#underWay.push(
      this.#do(act).catch((error: unknown) => {
        if (!isRefusal(error)) this.#strange.push(error);
      }),
    );
  }

  async #do(act: Act): Promise<void> {
    const harness = this.#harness as AgentHarness;
    const text = `said-${this.#count++}.`;
    switch (act.act) {
      case "prompt":
        await harness.prompt(text);
        this.#acknowledged.add(text);
        return;
      case "steer":
        await harness.steer(text);
        break;
      case "followUp":
        await harness.followUp(text);
        break;
      case "nextTurn":
        await harness.nextTurn(text);
        break;
      case "append":
        await harness.appendMessage(text);
        this.#appended.add(text);
        return;
      case "continue":
        await harness.continue();
        return;
      case "compact":
        await harness.compact();
        return;
      case "navigate": {
        const entries = await this.#session.getEntries();
        const target = entries[act.to % Math.max(1, entries.length)];
        if (target) await harness.navigateTree(target.id, { summarize: act.summarize });
        return;
      }
      case "abort": {
        const { steer, followUp } = await harness.abort();
        for (const message of [...steer, ...followUp]) this.#givenBack.add(textOf(message));
        return;
      }
      default:
        return;
    }
    this.#acknowledged.add(text);
  }

  #hear(event: HarnessEvent): void {
    if (event.type !== "message_end" || event.entryId === undefined) return;
    if (!this.#session.storage.host.state.get(event.entryId)) this.#strange.push(`told before it was stored`);
  }

  #reply(index: number) {
    const { replies: script } = this.#plan;
    const kind = script.length === 0 ? "says" : script[index % script.length];
    return async () => {
      await this.#delay();
      if (kind === "calls") return calls("act", {}, this.#callId());
      if (kind === "calls twice") return says([this.#call(), this.#call()], { stopReason: "toolUse" });
      if (kind === "fails") return says("", { stopReason: "error", errorMessage: "503 overloaded" });
      if (kind === "throws") throw new Error("broken");
      return says("an answer");
    };
  }

  #call() {
    return fauxToolCall("act", {}, { id: this.#callId() });
  }

  #callId(): string {
    return `call-${this.#callCount++}`;
  }

  async #delay(): Promise<void> {
    const { delays: times } = this.#plan;
    for (let left = times[this.#ticks++ % times.length] as number; left > 0; left--) await nextTurn();
  }
}

function textOf(message: AgentMessage): string {
  const content: unknown = "content" in message ? message.content : "";
  if (typeof content === "string") return content;
  return (content as readonly { readonly text?: string }[]).map(({ text = "" }) => text).join("");
}

function textsQueued(harness: AgentHarness): readonly string[] {
  return (["steer", "followUp", "nextTurn"] as const).flatMap((queue) => harness.queued(queue).map(textOf));
}

/** Everything acknowledged is said once or waits, unless it was given back; each call has one result at most. */
async function judge(
  session: Session,
  harness: AgentHarness,
  acknowledged: readonly string[],
  givenBack: ReadonlySet<string>,
): Promise<void> {
  const entries = await session.getEntries();
  const said = entries.flatMap((entry) => (entry.type === "message" ? [textOf(entry.message)] : []));
  const places = [...said, ...textsQueued(harness)];
  const dropped = textsDropped(entries);
  for (const text of givenBack) expect(dropped).toContain(text);
  for (const text of acknowledged) {
    const count = places.filter((other) => other === text).length;
    expect({ text, count }).toEqual({ text, count: dropped.has(text) ? 0 : 1 });
  }
  for (const { leafId } of await session.branches()) {
    const results = (await session.getBranch(leafId)).flatMap((entry) =>
      entry.type === "message" && entry.message.role === "toolResult" ? [entry.message.toolCallId] : [],
    );
    expect(results).toEqual([...new Set(results)]);
  }
}

/** What was queued, and cleared by an abort. */
function textsDropped(entries: readonly SessionTreeEntry[]): ReadonlySet<string> {
  const marks = entries.flatMap((entry) => operationIn(entry) ?? []);
  const cleared = new Set(marks.flatMap(({ name, data }) => (name === "queue_cleared" ? data.entryIds : [])));
  return new Set(
    marks.flatMap(({ name, data }) =>
      name === "queue" && cleared.has(data.entryId) && data.draft.type === "message"
        ? [textOf(data.draft.message)]
        : [],
    ),
  );
}
