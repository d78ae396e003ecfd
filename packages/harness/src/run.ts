import { AgentHarnessError, type AgentMessage, type AssistantMessage, type BatchItem, type UserMessage } from "bough";
import type { RunStatus } from "./hooks/events.ts";
import { childrenOf, type Waiting } from "./inbox.ts";
import { draftOf, type HarnessInput, imagesOf, messageIn, textOf } from "./input.ts";
import type { HarnessParts } from "./parts.ts";
import { awaitsAnswer, nothingToAnswer, systemPromptOf } from "./request.ts";
import { Retries } from "./retry.ts";
import { Room } from "./room.ts";
import { requireModel } from "./settings.ts";
import { type StoredItem, tellStored } from "./stored-item.ts";
import { runTurn, type Turn } from "./turn.ts";

/** How a run ended, and with which reply; none if it ended before the model spoke. */
export interface RunOutcome {
  readonly status: RunStatus;
  readonly message?: AssistantMessage;
  readonly entryId?: string;
  /** Why the harness gave up, where the reply doesn't say: `compaction` with the reason `overflow` or `no_progress`. */
  readonly error?: AgentHarnessError;
}

/** Says `input` to the model and goes on until it has nothing more to do. */
export async function runPrompt(parts: HarnessParts, input: HarnessInput, signal: AbortSignal): Promise<RunOutcome> {
  const draft = draftOf(input, Date.now());
  const said = messageIn(draft, new Date().toISOString());
  if (!said || isBlank(said)) throw nothingToAnswer();
  await requireAuth(parts);
  await parts.inbox.stored();
  const run = new Run(parts, signal);
  await run.begin("prompt", parts.inbox.take("nextTurn", "all"), [{ kind: "child", draft }]);
  const outcome = await run.toItsEnd(said);
  return await answerLate(parts, outcome, signal);
}

/** Goes on from the leaf: where a run broke off, or where a message waits for an answer. */
export async function runContinue(parts: HarnessParts, signal: AbortSignal): Promise<RunOutcome> {
  await requireAuth(parts);
  return await answerLate(parts, await goOn(parts, signal), signal);
}

/** Answers what was queued while something else was under way. */
export async function answerQueued(parts: HarnessParts, signal: AbortSignal): Promise<void> {
  if (signal.aborted || !parts.inbox.has("steer", "followUp")) return;
  await requireAuth(parts);
  await answerLate(parts, { status: "answered" }, signal);
}

/** What was queued when the run had looked for the last time begins another. */
async function answerLate(parts: HarnessParts, outcome: RunOutcome, signal: AbortSignal): Promise<RunOutcome> {
  let last = outcome;
  while (last.status === "answered" && parts.inbox.has("steer", "followUp")) last = await goOn(parts, signal);
  return last;
}

async function goOn(parts: HarnessParts, signal: AbortSignal): Promise<RunOutcome> {
  const { inbox, steeringMode, followUpMode } = parts;
  const isOpen = await awaitsAnswer(parts);
  const steered = inbox.take("steer", steeringMode);
  const taken = isOpen || steered.length > 0 ? steered : inbox.take("followUp", followUpMode);
  if (!isOpen && taken.length === 0) throw nothingToAnswer();
  const run = new Run(parts, signal);
  await run.begin("continue", taken, []);
  return await run.toItsEnd(undefined);
}

/** How a run ends, apart from its last reply. */
type Ending = Pick<RunOutcome, "status" | "error">;

class Run {
  readonly #parts: HarnessParts;
  readonly #signal: AbortSignal;
  readonly #messages: AgentMessage[] = [];
  readonly #retries: Retries;
  readonly #room: Room;
  #op = "";
  #last: Turn | undefined;

  constructor(parts: HarnessParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    this.#retries = new Retries(parts, signal);
    this.#room = new Room(parts, signal);
  }

  /** Stores what waited and what is said, and that a run begins, in one write. */
  async begin(kind: "prompt" | "continue", waited: readonly Waiting[], said: readonly BatchItem[]): Promise<void> {
    const { session, settings, hooks, inbox, journal } = this.#parts;
    const newId = () => session.storage.createEntryId();
    const op = await newId();
    const items = [...childrenOf(waited), ...said];
    const children = await Promise.all(items.map(async (item) => ({ ...item, id: item.id ?? (await newId()) })));
    const opening = (kind === "continue" && journal.resume(children)) || journal.begin(kind, op, children);
    await inbox.place(waited, async () => {
      await settings.flush();
      await session.appendBatch(opening.items);
    });
    journal.opened(opening);
    this.#op = opening.op;
    await hooks.emit({ type: "agent_start" });
    await hooks.emit({ type: "turn_start" });
    await this.#tell(children);
  }

  async toItsEnd(said: AgentMessage | undefined): Promise<RunOutcome> {
    const ending = await this.#ending(said);
    await this.#end(ending.status);
    return { ...ending, ...(this.#last && { message: this.#last.reply, entryId: this.#last.replyId }) };
  }

  /** What can't be stored rejects, and leaves the run open, to be taken up. */
  async #ending(said: AgentMessage | undefined): Promise<Ending> {
    try {
      // What was queued may be data that asks for nothing.
      if (said === undefined && !(await awaitsAnswer(this.#parts))) return { status: "answered" };
      return await this.#turns(await this.#prepare(said));
    } catch (error) {
      if (this.#signal.aborted && error === this.#signal.reason) return { status: "aborted" };
      await this.#parts.hooks.emit({ type: "agent_end", status: "failed", messages: this.#messages });
      throw error;
    }
  }

  async #prepare(said: AgentMessage | undefined): Promise<string> {
    const base = await systemPromptOf(this.#parts);
    if (said === undefined) return base;
    const { content } = said as UserMessage;
    const payload = { prompt: textOf(content), images: imagesOf(content), systemPrompt: base };
    const asked = await this.#parts.hooks.ask("before_agent_start", payload, this.#signal);
    await this.#say((asked.messages ?? []).map((note) => ({ kind: "child", draft: draftOf(note, Date.now()) })));
    return asked.systemPrompt ?? base;
  }

  async #turns(systemPrompt: string): Promise<Ending> {
    const { hooks, settings } = this.#parts;
    while (true) {
      const error = await this.#room.make(systemPrompt);
      if (error) return { status: "failed", error };
      const turn = await runTurn(this.#parts, { op: this.#op, systemPrompt, signal: this.#signal });
      this.#last = turn;
      this.#messages.push(turn.reply, ...turn.toolResults);
      await hooks.emit({ type: "turn_end", message: turn.reply, toolResults: turn.toolResults });
      await hooks.emit({ type: "save_point", hadPendingMutations: await settings.flush() });
      const ending = await this.#endingAfter(turn);
      if (ending) return ending;
    }
  }

  /** Undefined where another turn follows, with what it needs in place. */
  async #endingAfter({ reply, replyId, wantsAnother }: Turn): Promise<Ending | undefined> {
    const { hooks } = this.#parts;
    if (reply.stopReason === "aborted") return { status: "aborted" };
    if (this.#room.overflowed(reply)) {
      const error = await this.#room.recover(replyId);
      if (error) return { status: "failed", error };
      await hooks.emit({ type: "turn_start" });
      return undefined;
    }
    if (reply.stopReason === "error") {
      if (!(await this.#retries.again(reply))) return { status: "failed" };
      await hooks.emit({ type: "turn_start" });
      return undefined;
    }
    await this.#retries.succeeded();
    this.#room.answered();
    const isDone = !wantsAnother && !this.#parts.inbox.has("steer", "followUp");
    if (this.#signal.aborted) return { status: isDone ? "answered" : "aborted" };
    return (await this.#goesOn(wantsAnother)) ? undefined : { status: "answered" };
  }

  /** Places what waited for the end of the turn, or of the run. False if there is nothing more to do. */
  async #goesOn(wantsAnother: boolean): Promise<boolean> {
    const { inbox, steeringMode, followUpMode, hooks } = this.#parts;
    const steered = inbox.take("steer", steeringMode);
    const taken = steered.length > 0 || wantsAnother ? steered : inbox.take("followUp", followUpMode);
    if (taken.length === 0 && !wantsAnother) return false;
    await hooks.emit({ type: "turn_start" });
    await inbox.place(taken, () => this.#say(childrenOf(taken)));
    return wantsAnother || (await awaitsAnswer(this.#parts));
  }

  async #say(items: readonly BatchItem[]): Promise<void> {
    if (items.length === 0) return;
    const ids = await this.#parts.session.appendBatch(items);
    await this.#tell(items.map((item, index) => ({ ...item, id: ids[index] as string })));
  }

  async #tell(items: readonly StoredItem[]): Promise<void> {
    this.#messages.push(...(await tellStored(this.#parts.hooks, items)));
  }

  async #end(outcome: RunStatus): Promise<void> {
    const { session, settings, inbox, hooks, journal } = this.#parts;
    await settings.flush();
    const answer = this.#last?.replyId;
    await session.appendBatch([journal.end(this.#op, { outcome, answer, waiting: inbox.entryIds })]);
    journal.ended();
    await hooks.emit({ type: "agent_end", status: outcome, messages: this.#messages });
  }
}

/** Whether there is nothing in it that a model could be sent. */
function isBlank(message: AgentMessage): boolean {
  const { content } = message as UserMessage;
  return textOf(content).trim() === "" && imagesOf(content).length === 0;
}

/** Throws `invalid_state` without a model, `auth` where its provider has no key. */
async function requireAuth({ models, settings }: HarnessParts): Promise<void> {
  const model = requireModel(settings.values);
  const { provider } = model;
  let cause: unknown;
  try {
    if (await models.getAuth(model)) return;
  } catch (error) {
    cause = error;
  }
  throw new AgentHarnessError("auth", `There is no key for ${provider}`, { provider }, { cause });
}
