import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import { type Input, type LineRequest, orAborted } from "./input.ts";

export interface TerminalInputOptions {
  readonly input: Readable;
  readonly output: NodeJS.WriteStream;
  /** Names that the tabulator completes at the start of a line. */
  readonly completions: readonly string[];
  /** Hears a line that nobody asked for. */
  readonly onAside: (line: string) => void;
  /** Hears Ctrl-C. */
  readonly onInterrupt: () => void;
}

/** Lines that a user types and can edit. What is typed while nobody asks is an aside. */
export class TerminalInput implements Input {
  readonly #reader: Interface;
  #asked: ((line: string | undefined) => void) | undefined;
  #isClosed = false;

  constructor({ input, output, completions, onAside, onInterrupt }: TerminalInputOptions) {
    const completer = (line: string) => [completions.filter((name) => name.startsWith(line)), line] as const;
    this.#reader = createInterface({ input, output, terminal: true, completer: completer as never });
    this.#reader.on("line", (line) => {
      if (this.#asked) this.#answer(line);
      else onAside(line);
    });
    this.#reader.on("SIGINT", onInterrupt);
    this.#reader.on("close", () => {
      this.#isClosed = true;
      this.#answer(undefined);
    });
  }

  async line({ prompt = "› ", draft, signal }: LineRequest = {}): Promise<string | undefined> {
    if (this.#isClosed) return undefined;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#asked = resolve;
    this.#reader.setPrompt(prompt);
    this.#reader.prompt(true);
    if (draft !== undefined) this.#reader.write(draft);
    try {
      return signal ? await orAborted(promise, signal) : await promise;
    } finally {
      if (this.#asked === resolve) this.#asked = undefined;
    }
  }

  /** Empties the line under way; false if there was nothing in it. */
  clear(): boolean {
    if (this.#reader.line === "") return false;
    this.#reader.write(null, { ctrl: true, name: "e" });
    this.#reader.write(null, { ctrl: true, name: "u" });
    return true;
  }

  close(): void {
    this.#reader.close();
  }

  #answer(line: string | undefined): void {
    const asked = this.#asked;
    this.#asked = undefined;
    asked?.(line);
  }
}
