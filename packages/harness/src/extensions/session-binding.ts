import { AgentHarnessError, isBoughError, type Session } from "bough";
import type { AgentHarness } from "../harness.ts";
import type { HarnessInput } from "../input.ts";
import { type FailureLog, failureOf } from "./extension-failure.ts";
import { runAs, runAsNobody } from "./stray-failures.ts";

type State =
  | { readonly name: "opening" }
  | { readonly name: "open"; readonly harness: AgentHarness }
  | { readonly name: "ended"; readonly why: Ending };

/** Why nothing reaches a session any more: another took its place, the host was closed, or an extension didn't start. */
export type Ending = "replaced" | "closed" | "failed";

/**
 * What ties an extension to the session it was started for. Everything it holds goes through here, so that none of it
 * reaches a session that took this one's place, nor anything if the extension could not be started.
 */
export class SessionBinding {
  readonly #session: Session;
  readonly #failures: FailureLog;
  readonly #pending = new Set<Promise<unknown>>();
  #state: State = { name: "opening" };

  constructor(session: Session, failures: FailureLog) {
    this.#session = session;
    this.#failures = failures;
  }

  /** Throws `closed` once the host was closed, `invalid_state` where it ended for another reason. */
  requireCurrent(): void {
    if (this.#state.name !== "ended") return;
    const { id } = this.#session;
    if (this.#state.why === "closed") throw new AgentHarnessError("closed", `The harness of ${id} is closed`, { id });
    throw invalid(reasons[this.#state.why]);
  }

  /** Throws as `requireCurrent`. */
  get session(): Session {
    this.requireCurrent();
    return this.#session;
  }

  /** Throws `invalid_state` before the session is open, else as `requireCurrent`. */
  get harness(): AgentHarness {
    this.requireCurrent();
    if (this.#state.name === "open") return this.#state.harness;
    throw invalid("the session is still being opened");
  }

  get isOpening(): boolean {
    return this.#state.name === "opening";
  }

  get isEnded(): boolean {
    return this.#state.name === "ended";
  }

  open(harness: AgentHarness): void {
    this.#state = { name: "open", harness };
  }

  /** The first reason counts. */
  end(why: Ending): void {
    if (!this.isEnded) this.#state = { name: "ended", why };
  }

  /** Does what an extension asks for. The promise may be left alone: what fails is reported as well. */
  act<T>(extension: string, what: string, work: (harness: AgentHarness) => Promise<T>): Promise<T> {
    const acting = runAsNobody(async () => await work(this.harness));
    this.#pending.add(acting);
    acting.catch((error: unknown) => this.report(extension, what, error)).finally(() => this.#pending.delete(acting));
    return acting;
  }

  /** Does something that only one can do at a time, as soon as nothing is under way. Rejects as `work`, but for `busy`. */
  async whenIdle<T>(work: (harness: AgentHarness) => Promise<T>): Promise<T> {
    for (;;) {
      if (!this.harness.isIdle) await this.harness.waitForIdle();
      try {
        return await work(this.harness);
      } catch (error) {
        if (!isBoughError(error, "busy")) throw error;
      }
    }
  }

  /** Says something to the model as soon as nothing is under way. Nobody waits for the answer. */
  beginRun(extension: string, what: string, input: HarnessInput): void {
    const run = () => this.whenIdle((harness) => harness.prompt(input));
    runAsNobody(run).catch((error: unknown) => this.report(extension, what, error));
  }

  report(extension: string, during: string, error: unknown): void {
    this.#failures.report(failureOf(extension, during, error));
  }

  /** Runs an extension's own code. */
  runAs<T>(extension: string, work: () => T): T {
    return runAs({ report: (error) => this.report(extension, "background", error) }, work);
  }

  /** Resolves when what was asked for so far is done. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }
}

const reasons = {
  replaced: "the session was replaced",
  failed: "the extension could not be started",
} as const;

export function invalid(reason: string): AgentHarnessError<"invalid_state"> {
  return new AgentHarnessError("invalid_state", reason, { reason });
}
