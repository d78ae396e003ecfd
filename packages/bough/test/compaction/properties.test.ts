import fc from "fast-check";
import { expect, test } from "vitest";
import { toLlmMessages } from "../../src/context/index.ts";
import {
  type AgentMessage,
  assistant,
  compact,
  isBoughError,
  type Keep,
  type MessageInput,
  type Session,
  toolResult,
  user,
} from "../../src/index.ts";
import { addition } from "../context/histories.ts";
import { refusal } from "../context/provider-valid.ts";
import { openStory } from "../support/stories.ts";
import { scripted, sessionOf } from "./sessions.ts";

type Step = { readonly say: "ask" | "answer" | "work" | "start" | "note" | "model" | "edit" } | { readonly keep: Keep };

const keep = fc.oneof(
  fc.nat(60).map((tokens) => ({ tokens })),
  fc.nat(3).map((turns) => ({ turns })),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom("ask", "answer", "work", "start", "note", "model").map((say) => ({ say }) as Step),
  },
  { weight: 2, arbitrary: keep.map((keep) => ({ keep })) },
);

/** Does what the steps say. Every message has a mark of its own. */
class Play {
  readonly marks: string[] = [];
  /** Marks in what summarisers were asked to summarise, in that order. */
  readonly summarised: string[] = [];
  readonly #session: Session;
  #calls = 0;
  #open: string[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  async step(step: Step): Promise<void> {
    if ("keep" in step) return await this.#compact(step.keep);
    switch (step.say) {
      case "ask":
        return await this.#say(user(this.#mark()));
      case "answer":
        return await this.#say(assistant(this.#mark()));
      case "start": {
        const id = `k${this.#calls++}`;
        this.#open.push(id);
        return await this.#say(assistant([{ type: "toolCall", id, name: "sh", arguments: { mark: this.#mark() } }]));
      }
      case "work": {
        const id = this.#open.pop();
        if (id !== undefined) await this.#say(toolResult(id, "sh", this.#mark()));
        return;
      }
      case "note":
        await this.#session.appendCustomMessageEntry({ customType: "note", content: this.#mark() });
        return;
      case "model":
        await this.#session.appendModelChange("acme", `m${this.#calls}`);
    }
  }

  async #compact(keep: Keep): Promise<void> {
    const { requests, summarizer } = scripted("S");
    try {
      await compact(this.#session, { keep, summarizer });
    } catch (error) {
      if (isBoughError(error, "nothing_to_compact") || isBoughError(error, "compaction")) return;
      throw error;
    }
    for (const { messages, turnPrefix } of requests) this.summarised.push(...marksIn([...messages, ...turnPrefix]));
  }

  async #say(message: MessageInput): Promise<void> {
    await this.#session.appendMessage(message);
  }

  #mark(): string {
    const mark = `<mark ${this.marks.length}>`;
    this.marks.push(mark);
    return mark;
  }
}

function marksIn(messages: readonly AgentMessage[]): string[] {
  return JSON.stringify(messages).match(/<mark \d+>/g) ?? [];
}

test("CM-12 over any number of compactions every message was summarised once or is in the context as it was said", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
      const session = await sessionOf();
      const play = new Play(session);
      for (const step of steps) {
        await play.step(step);
        const { messages } = await session.buildContext();
        expect([...play.summarised, ...marksIn(messages)]).toEqual(play.marks);
        expect(refusal(toLlmMessages(messages))).toBeUndefined();
        expect(parted(messages)).toEqual([]);
      }
    }),
    { numRuns: 60 },
  );
});

/** Results in a context whose call isn't before them. */
function parted(messages: readonly AgentMessage[]): readonly string[] {
  const called = new Set<string>();
  return messages.flatMap((message) => {
    if (message.role === "assistant")
      for (const block of message.content) if (block.type === "toolCall") called.add(block.id);
    return message.role === "toolResult" && !called.has(message.toolCallId) ? [message.toolCallId] : [];
  });
}

test("CM-17 after any compactions the context is the same after reopening, and providers take it", async () => {
  const steps = fc.array(fc.oneof({ weight: 6, arbitrary: addition }, { weight: 1, arbitrary: keep }), {
    maxLength: 25,
    size: "max",
  });
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const { session, reopened } = await openStory("U(u0,-,start)");
      for (const [index, step] of steps.entries()) {
        if (typeof step === "function") {
          const { id: _, ...draft } = step(`e${index}`, []);
          await session.appendEntry(draft as never).catch(refusedEntry);
        } else {
          await compact(session, { keep: step, summarizer: scripted("S").summarizer }).catch(refusedCompaction);
        }
      }
      const context = await session.buildContext();
      expect(refusal(toLlmMessages(context.messages))).toBeUndefined();
      expect(await (await reopened()).buildContext()).toEqual(context);
    }),
    { numRuns: 25 },
  );
});

/** Half of what the generator says is nothing that may be stored. */
function refusedEntry(error: unknown): void {
  if (!isBoughError(error, "invalid_entry") && !isBoughError(error, "not_found")) throw error;
}

function refusedCompaction(error: unknown): void {
  if (!isBoughError(error, "nothing_to_compact") && !isBoughError(error, "compaction")) throw error;
}
