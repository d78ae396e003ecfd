import { AgentHarnessError } from "bough";

/** What an extension did wrong. It was passed over: nothing else has changed. */
export interface ExtensionFailure {
  /** The extension's name. */
  readonly extension: string;
  /** What it was called for, or what it asked for: `load`, a hook, an event, `command:name`, `sendMessage`. */
  readonly during: string;
  readonly error: AgentHarnessError<"hook">;
}

export type FailureListener = (failure: ExtensionFailure) => void;

export function failureOf(extension: string, during: string, cause: unknown): ExtensionFailure {
  const why = cause instanceof Error ? cause.message : String(cause);
  const error = new AgentHarnessError("hook", `${extension}: ${during} failed: ${why}`, { hook: during }, { cause });
  return { extension, during, error };
}

/** Where failures go. What nobody hears of becomes a warning of the process. */
export class FailureLog {
  readonly #listeners = new Set<FailureListener>();

  listen(listener: FailureListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  report(failure: ExtensionFailure): void {
    if (this.#listeners.size === 0) process.emitWarning(failure.error);
    for (const listener of this.#listeners) listener(failure);
  }
}
