import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import { isBoughError } from "../errors.ts";
import type { SessionHost } from "./session-host.ts";

export interface WatchOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds between looks at what other processes wrote; 200 unless given. */
  readonly interval?: number;
}

const defaultInterval = 200;
/** What came at once may be a history. */
const readAtOnce = 256;

/**
 * Every entry that becomes readable from now on, once, in log order, own ones included. Ends when the session is closed
 * or deleted, or the iterator is returned; throws `signal.reason` on abort. One look costs one `stat`.
 */
export async function* watchEntries(host: SessionHost, options: WatchOptions): AsyncGenerator<SessionTreeEntry, void> {
  const { signal, interval = defaultInterval } = options;
  signal?.throwIfAborted();
  const arrived: EntryHead[] = [];
  const alarm = new Alarm();
  const stop = host.listen((heads) => {
    for (const head of heads) arrived.push(head);
    alarm.ring();
  });
  const onAbort = () => alarm.ring();
  signal?.addEventListener("abort", onAbort);
  try {
    while (await looksAgain(host)) {
      while (arrived.length > 0 && !host.isClosed) {
        const heads = host.state.present(arrived.splice(0, readAtOnce));
        yield* await host.read(host.state.entries(heads));
        signal?.throwIfAborted();
      }
      signal?.throwIfAborted();
      if (arrived.length === 0) await alarm.sleep(interval);
      signal?.throwIfAborted();
    }
  } finally {
    stop();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** False once there is nothing left to look at. */
async function looksAgain(host: SessionHost): Promise<boolean> {
  if (host.isClosed) return false;
  try {
    await host.refresh();
    return true;
  } catch (error) {
    if (isBoughError(error, "session_deleted") || isBoughError(error, "closed")) return false;
    throw error;
  }
}

/** A sleep that can be ended. */
class Alarm {
  #wake: (() => void) | undefined;

  ring(): void {
    this.#wake?.();
  }

  async sleep(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
