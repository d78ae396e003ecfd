import { isContextOverflow, type AssistantMessage as ProviderReply } from "@earendil-works/pi-ai";
import { AgentHarnessError, type AssistantMessage, isBoughError, type Keep, type SummaryFailure } from "bough";
import { compactSession, isOverThreshold, measured } from "./compaction.ts";
import { compactionSettingsOf } from "./compaction-settings.ts";
import type { CompactionReason } from "./hooks/events.ts";
import type { HarnessParts } from "./parts.ts";

/**
 * Sees to it that requests of one run fit the model's window. A compaction that did not get the context below the
 * threshold is not repeated, and a request that didn't fit is made again once: neither goes round in circles.
 */
export class Room {
  readonly #parts: HarnessParts;
  readonly #signal: AbortSignal;
  #gaveUp = false;
  #recovered = false;

  constructor(parts: HarnessParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Before a request: compacts where it would leave less than the reserve. Resolves with why the run can't go on. */
  async make(systemPrompt: string): Promise<AgentHarnessError | undefined> {
    if (!(await isOverThreshold(this.#parts, systemPrompt))) return undefined;
    if (this.#gaveUp) return failure("no_progress", "compacting did not make the context small enough");
    await this.#compact("threshold", false);
    this.#gaveUp = await isOverThreshold(this.#parts, systemPrompt);
    return undefined;
  }

  /** Whether the provider refused a request as too large. */
  overflowed(reply: AssistantMessage): boolean {
    const window = this.#parts.settings.values.model?.contextWindow;
    return reply.stopReason !== "stop" && isContextOverflow(reply as unknown as ProviderReply, window);
  }

  /** Hides the attempt and compacts, for the request to be made again. Resolves with why it can't be. */
  async recover(replyId: string): Promise<AgentHarnessError | undefined> {
    const again = this.#recovered;
    this.#recovered = true;
    await this.#parts.session.appendContextEdit(replyId, null);
    if (again) return failure("overflow", "the context does not fit the model, compacted as well");
    if (!compactionSettingsOf(this.#parts).enabled) {
      return failure("overflow", "the context does not fit the model, and is not compacted by itself");
    }
    const cause = await this.#compact("overflow", true, await halfOf(this.#parts));
    return cause === undefined
      ? undefined
      : failure("overflow", "the context does not fit the model, and can't be compacted", cause);
  }

  /** A reply came, so that the next overflow is another one. */
  answered(): void {
    this.#recovered = false;
  }

  /** Resolves with why nothing was compacted; aborts and failures of the store reject. */
  async #compact(reason: CompactionReason, willRetry: boolean, keep?: Keep): Promise<unknown> {
    const { activity } = this.#parts;
    try {
      await activity.within("compaction", () =>
        compactSession(this.#parts, { reason, willRetry, signal: this.#signal, ...(keep && { keep }) }),
      );
      return undefined;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (
        ["compaction", "nothing_to_compact", "leaf_moved"].some((code) => isBoughError(error, code as "compaction"))
      ) {
        return error;
      }
      throw error;
    }
  }
}

/** What a provider refused as too large isn't kept whole, whatever the policy makes of its size. */
async function halfOf(parts: HarnessParts): Promise<Keep> {
  const { tokens } = await measured(parts);
  return { tokens: Math.min(compactionSettingsOf(parts).keepRecentTokens, Math.floor(tokens / 2)) };
}

function failure(reason: SummaryFailure["reason"], message: string, cause?: unknown): AgentHarnessError<"compaction"> {
  return new AgentHarnessError("compaction", message, { reason }, { cause });
}
