import type { Readable } from "node:stream";

export interface LineRequest {
  readonly prompt?: string;
  /** Stands in the line already. */
  readonly draft?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where the user's lines come from. */
export interface Input {
  /** The next line, undefined when there are no more. Rejects when aborted. */
  line(request?: LineRequest): Promise<string | undefined>;
  close(): void;
}

/** The lines of a pipe or a file, one when it is asked for. */
export class PipeInput implements Input {
  readonly #stream: Readable;
  readonly #lines: AsyncIterator<string>;

  constructor(stream: Readable) {
    this.#stream = stream;
    this.#lines = linesOf(stream);
  }

  async line({ signal }: LineRequest = {}): Promise<string | undefined> {
    const next = this.#lines.next().then(({ done, value }) => (done ? undefined : (value as string)));
    return signal ? await orAborted(next, signal) : await next;
  }

  close(): void {
    this.#stream.destroy();
  }
}

/** Nothing but `\n` and `\r\n` ends a line. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let begun: string[] = [];
  for await (const chunk of stream.setEncoding("utf8") as AsyncIterable<string>) {
    const [first = "", ...others] = chunk.split("\n");
    begun.push(first);
    for (const next of others) {
      yield begun.join("").replace(/\r$/, "");
      begun = [next];
    }
  }
  const rest = begun.join("");
  if (rest !== "") yield rest;
}

export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The same lines, until the signal is given. */
export function until(signal: AbortSignal, input: Input): Input {
  return { line: async (request) => await input.line({ signal, ...request }), close: () => input.close() };
}
