import { AgentHarnessError } from "bough";

/** What a harness is doing. One thing at a time: everything but `idle` refuses to begin another. */
export type Phase = "idle" | "turn" | "compaction" | "branch_summary" | "retry";

/** The one operation under way, how to end it, and who waits for that. */
export class Activity {
  readonly #id: string;
  #phase: Phase = "idle";
  #closed = false;
  #controller: AbortController | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  readonly #beside = new Set<Promise<unknown>>();

  /** `id` is told to those who find it busy. */
  constructor(id: string) {
    this.#id = id;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get signal(): AbortSignal | undefined {
    return this.#controller?.signal;
  }

  /** Throws `busy` with what is under way, and `closed`. */
  requireIdle(): void {
    this.requireOpen();
    const id = this.#id;
    if (this.#phase === "idle") return;
    const holder = `this harness (${this.#phase})`;
    throw new AgentHarnessError("busy", `Session ${id} is in use by ${holder}`, { id, holder });
  }

  /** Throws `closed`. */
  requireOpen(): void {
    const id = this.#id;
    if (this.#closed) throw new AgentHarnessError("closed", `The harness of ${id} is closed`, { id });
  }

  /** Runs `work` as the one operation under way; `outer` ends it as `abort` does. Rejects as `requireIdle` throws. */
  async run<T>(phase: Phase, work: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T> {
    this.requireIdle();
    outer?.throwIfAborted();
    const controller = new AbortController();
    const onAbort = () => controller.abort(outer?.reason);
    outer?.addEventListener("abort", onAbort, { once: true });
    this.#phase = phase;
    this.#controller = controller;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    try {
      return await work(controller.signal);
    } finally {
      outer?.removeEventListener("abort", onAbort);
      this.#phase = "idle";
      this.#controller = undefined;
      resolve();
    }
  }

  /** Writes something beside the operation under way; `close` waits for it. Rejects with `closed`. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    this.requireOpen();
    const writing = work();
    this.#beside.add(writing);
    try {
      return await writing;
    } finally {
      this.#beside.delete(writing);
    }
  }

  /** Another phase of the operation under way, for as long as `work` takes. */
  async within<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const outer = this.#phase;
    this.#phase = phase;
    try {
      return await work();
    } finally {
      this.#phase = outer;
    }
  }

  abort(reason: unknown = new DOMException("The operation was aborted", "AbortError")): void {
    this.#controller?.abort(reason);
  }

  async waitForIdle(): Promise<void> {
    while (this.#phase !== "idle") await this.#ended;
  }

  /** Nothing begins any more. Resolves when what was under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.abort();
    await this.waitForIdle();
    await Promise.allSettled(this.#beside);
  }
}
