import { setTimeout as sleep } from "node:timers/promises";
import {
  isRetryableAssistantError,
  type AssistantMessage as ProviderReply,
  type RetryPolicy,
  retryDelayMs,
} from "@earendil-works/pi-ai";
import type { AssistantMessage } from "bough";
import type { HarnessParts } from "./parts.ts";

export const defaultRetryPolicy: RetryPolicy = { enabled: true, maxRetries: 3, baseDelayMs: 2_000 };

/** The failures of one answer, and whether it is asked for again. */
export class Retries {
  readonly #parts: HarnessParts;
  readonly #signal: AbortSignal;
  #attempt = 0;

  constructor(parts: HarnessParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Waits, and resolves with whether to ask again. Rejects with `signal.reason` when aborted meanwhile. */
  async again(reply: AssistantMessage): Promise<boolean> {
    const { retry, hooks, activity } = this.#parts;
    const { errorMessage = "" } = reply;
    const isWorthIt =
      retry.enabled && this.#attempt < retry.maxRetries && isRetryableAssistantError(reply as unknown as ProviderReply);
    if (!isWorthIt) {
      await this.#finish(false, errorMessage);
      return false;
    }
    const attempt = ++this.#attempt;
    const delayMs = retryDelayMs(retry, attempt);
    const maxAttempts = retry.maxRetries;
    await activity.within("retry", async () => {
      await hooks.emit({ type: "retry_scheduled", operation: "turn", attempt, maxAttempts, delayMs, errorMessage });
      try {
        await sleep(delayMs, undefined, { signal: this.#signal });
      } catch {
        await this.#finish(false, errorMessage);
      }
      this.#signal.throwIfAborted();
      await hooks.emit({ type: "retry_attempt_start", operation: "turn", attempt });
    });
    return true;
  }

  /** The answer came. */
  async succeeded(): Promise<void> {
    await this.#finish(true);
  }

  async #finish(success: boolean, finalError?: string): Promise<void> {
    const attempt = this.#attempt;
    if (attempt === 0) return;
    this.#attempt = 0;
    const why = finalError !== undefined && { finalError };
    await this.#parts.hooks.emit({ type: "retry_finished", operation: "turn", success, attempt, ...why });
  }
}
