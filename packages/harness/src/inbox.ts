import type { AgentMessage, BatchItem, EntryDraft, Session } from "bough";
import type { Hooks } from "./hooks/hooks.ts";
import { messageIn } from "./input.ts";
import { operation, type QueueName } from "./operations/operation.ts";
import type { Operations } from "./operations/read-operations.ts";

/** Whether a queue hands out its oldest message or all of them when its moment has come. */
export type QueueMode = "one-at-a-time" | "all";

export interface Waiting {
  readonly queue: QueueName;
  readonly entryId: string;
  readonly draft: EntryDraft;
}

/**
 * What waits to be said. A message is stored when it is queued, with the id it will have in the conversation: it was
 * said if an entry of that id is there, so that no crash loses or doubles it.
 */
export class Inbox {
  readonly #session: Session;
  readonly #hooks: Hooks;
  #waiting: readonly Waiting[];
  /** Writes under way, of what is about to wait. */
  readonly #storing = new Set<Promise<string>>();

  constructor(session: Session, hooks: Hooks, { records, seen }: Operations) {
    this.#session = session;
    this.#hooks = hooks;
    const cleared = new Set(records.flatMap(({ name, data }) => (name === "queue_cleared" ? data.entryIds : [])));
    this.#waiting = records.flatMap(({ name, data }) => {
      return name === "queue" && !cleared.has(data.entryId) && !seen.has(data.entryId) ? [data] : [];
    });
  }

  messages(queue: QueueName): readonly AgentMessage[] {
    const now = new Date().toISOString();
    return this.#of([queue]).flatMap(({ draft }) => messageIn(draft, now) ?? []);
  }

  /** The entries that what waits will be. */
  get entryIds(): readonly string[] {
    return this.#waiting.map(({ entryId }) => entryId);
  }

  has(...queues: readonly QueueName[]): boolean {
    return this.#of(queues).length > 0;
  }

  /** Resolves with the id that the message will have, once it can't be lost. */
  async add(queue: QueueName, draft: EntryDraft): Promise<string> {
    const storing = this.#store(queue, draft);
    this.#storing.add(storing);
    try {
      await storing;
    } finally {
      this.#storing.delete(storing);
    }
    await this.#notify();
    return await storing;
  }

  /** Resolves when what was given to `add` before waits, or was refused. */
  async stored(): Promise<void> {
    await Promise.allSettled(this.#storing);
  }

  /** Takes out what is to be said now, for `place`. */
  take(queue: QueueName, mode: QueueMode): readonly Waiting[] {
    return this.#remove(this.#of([queue]).slice(0, mode === "all" ? undefined : 1));
  }

  /** Runs what stores the taken messages, and has them wait again if that fails. */
  async place(taken: readonly Waiting[], store: () => Promise<void>): Promise<void> {
    try {
      await store();
    } catch (error) {
      this.#waiting = [...taken, ...this.#waiting];
      throw error;
    }
    if (taken.length > 0) await this.#notify();
  }

  /** These won't be said any more. */
  async clear(...queues: readonly QueueName[]): Promise<void> {
    const taken = this.#remove(this.#of(queues));
    const entryIds = taken.map(({ entryId }) => entryId);
    await this.place(taken, async () => {
      if (taken.length > 0) await this.#session.appendBatch([operation("queue_cleared", { entryIds })]);
    });
  }

  async #store(queue: QueueName, draft: EntryDraft): Promise<string> {
    const entryId = await this.#session.storage.createEntryId();
    const waiting = { queue, entryId, draft };
    await this.#session.appendBatch([operation("queue", waiting)]);
    this.#waiting = [...this.#waiting, waiting];
    return entryId;
  }

  async #notify(): Promise<void> {
    const [steer, followUp, nextTurn] = [this.messages("steer"), this.messages("followUp"), this.messages("nextTurn")];
    await this.#hooks.emit({ type: "queue_update", steer, followUp, nextTurn });
  }

  #remove(taken: readonly Waiting[]): readonly Waiting[] {
    this.#waiting = this.#waiting.filter((waiting) => !taken.includes(waiting));
    return taken;
  }

  #of(queues: readonly QueueName[]): readonly Waiting[] {
    return this.#waiting.filter(({ queue }) => queues.includes(queue));
  }
}

export function childrenOf(taken: readonly Waiting[]): readonly BatchItem[] {
  return taken.map(({ draft, entryId }) => ({ kind: "child", draft, id: entryId }));
}
