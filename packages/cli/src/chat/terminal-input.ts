import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import { plainText } from "bough/outline";
import { type Input, type LineRequest, orAborted } from "./input.ts";

export interface TerminalInputOptions {
  readonly input: Readable;
  readonly output: NodeJS.WriteStream;
  /** Names that the tabulator completes at the start of a line. */
  readonly completions: readonly string[];
  /** Hears what nobody asked for. */
  readonly onAside: (text: string) => void;
  /** Hears Ctrl-C. */
  readonly onInterrupt: () => void;
}

type Asked = (line: string | undefined) => void;

const mainPrompt = "› ";
/** Stands for a line break in a line that can be edited. */
const lineBreak = " ⏎ ";
/** Milliseconds within which lines are one paste. */
const pasteTime = 20;

/** What a user types and can edit. Lines that are pasted together are one text. What comes while nobody asks is an aside. */
export class TerminalInput implements Input {
  readonly #reader: Interface;
  readonly #onAside: (text: string) => void;
  #pasted: string[] = [];
  /** Wait for an empty line to stand in. */
  #drafts: readonly string[] = [];
  #asked: Asked | undefined;
  #isClosed = false;

  constructor({ input, output, completions, onAside, onInterrupt }: TerminalInputOptions) {
    const completer = (line: string) => [completions.filter((name) => name.startsWith(line)), line] as const;
    this.#reader = createInterface({ input, output, terminal: true, completer: completer as never });
    this.#onAside = onAside;
    this.#reader.on("line", (line) => {
      if (this.#pasted.push(line) > 1) return;
      const asked = this.#asked;
      setTimeout(() => this.#deliver(asked), pasteTime);
    });
    this.#reader.on("SIGINT", onInterrupt);
    this.#reader.on("close", () => {
      this.#isClosed = true;
      this.#deliver(this.#asked);
      this.#answer(undefined);
    });
  }

  async line({ prompt, draft, signal }: LineRequest = {}): Promise<string | undefined> {
    if (this.#isClosed) return undefined;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#asked = resolve;
    this.#reader.setPrompt(prompt ?? mainPrompt);
    this.#reader.prompt(true);
    if (prompt === undefined) this.offer(draft);
    try {
      return signal ? await orAborted(promise, signal) : await promise;
    } finally {
      if (this.#asked === resolve) this.#asked = undefined;
    }
  }

  /** Lets a text stand in the user's line when there is nothing in it; what somebody is typing comes first. */
  offer(draft: string | undefined): void {
    if (draft !== undefined) this.#drafts = [...this.#drafts, draft];
    const isMain = this.#asked !== undefined && this.#reader.getPrompt() === mainPrompt;
    const [next, ...rest] = this.#drafts;
    if (next === undefined || !isMain || this.#reader.line !== "") return;
    this.#drafts = rest;
    this.#reader.write(plainText(next).replaceAll("\t", "  ").replaceAll("\n", lineBreak));
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

  /** `asked`: who waited when the first of the lines came. */
  #deliver(asked: Asked | undefined): void {
    if (this.#pasted.length === 0) return;
    const text = this.#pasted.join("\n").replaceAll(lineBreak, "\n");
    this.#pasted = [];
    if (asked && asked === this.#asked) this.#answer(text);
    else this.#onAside(text);
  }

  #answer(line: string | undefined): void {
    const asked = this.#asked;
    this.#asked = undefined;
    asked?.(line);
  }
}
