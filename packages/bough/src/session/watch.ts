import type { SessionTreeEntry } from "../entry/entry.ts";
import type { EntryHead } from "../entry/head.ts";
import type { SessionHost } from "./session-host.ts";

export interface WatchOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds between looks at what other processes wrote; 200 unless given. */
  readonly interval?: number;
}

const defaultInterval = 200;

/**
 * Every entry that becomes readable from now on, once, in log order, own ones included. Ends when the session is closed
 * or deleted, or the iterator is returned; throws `signal.reason` on abort. One look costs one `stat`.
 */
export async function* watchEntries(host: SessionHost, options: WatchOptions): AsyncGenerator<SessionTreeEntry, void> {
  const { signal, interval = defaultInterval } = options;
  signal?.throwIfAborted();
  const arrived: EntryHead[] = [];
  let wake: (() => void) | undefined;
  const stop = host.listen((heads) => {
    arrived.push(...heads);
    wake?.();
  });
  try {
    while (!host.isClosed) {
      await host.refresh();
      const heads = arrived.splice(0);
      yield* await host.read(host.state.entries(heads));
      signal?.throwIfAborted();
      if (arrived.length > 0) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, interval);
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
      signal?.throwIfAborted();
    }
  } finally {
    stop();
  }
}
