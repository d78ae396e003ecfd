import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import { Echo } from "./echo.ts";
import { editableLine, editedText } from "./editable-line.ts";
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

interface Asked {
  readonly isQuestion: boolean;
  readonly answer: (line: string | undefined) => void;
}

interface Paste {
  /** What stood in the line, on both sides of the cursor. */
  readonly before: string;
  readonly after: string;
  readonly lines: string[];
}

const mainPrompt = "› ";
/** Of a message whose last line ended in a backslash. */
const nextPrompt = "  ";
/** Milliseconds within which lines are one paste, on terminals that don't mark one. */
const pasteTime = 20;
const marksPastes = "\u001b[?2004h";
const marksNothing = "\u001b[?2004l";

/**
 * What a user types and can edit. What comes while nobody asks is an aside; it is not drawn until somebody does, as it
 * would be drawn over what is printed meanwhile. A question finds an empty line, and what stood there comes back after it.
 */
export class TerminalInput implements Input {
  readonly #reader: Interface;
  readonly #screen: NodeJS.WriteStream;
  readonly #echo: Echo;
  readonly #onAside: (text: string) => void;
  /** Came together, and may not be all. */
  #lines: string[] = [];
  /** Lines of a message that goes on. */
  #begun: readonly string[] = [];
  /** Wait for an empty line to stand in. */
  #drafts: readonly string[] = [];
  #paste: Paste | undefined;
  #asked: Asked | undefined;
  #isClosed = false;

  constructor({ input, output, completions, onAside, onInterrupt }: TerminalInputOptions) {
    const completer = (line: string) => [completions.filter((name) => name.startsWith(line)), line] as const;
    this.#screen = output;
    this.#echo = new Echo(output);
    this.#reader = createInterface({ input, output: this.#echo, terminal: true, completer: completer as never });
    this.#onAside = onAside;
    this.#reader.on("line", (line) => this.#take(line));
    this.#reader.on("SIGINT", onInterrupt);
    this.#reader.on("SIGCONT", () => this.#wake());
    this.#reader.on("close", () => this.#end());
    input.on("keypress", (_: unknown, key?: { readonly name?: string }) => {
      if (key?.name === "paste-start") this.#beginPaste();
      if (key?.name === "paste-end") this.#endPaste();
    });
    this.#screen.write(marksPastes);
  }

  async line({ prompt, draft, signal }: LineRequest = {}): Promise<string | undefined> {
    if (this.#isClosed) return undefined;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const asked = { isQuestion: prompt !== undefined, answer: resolve };
    const putAside = asked.isQuestion ? this.#cleared() : "";
    this.#asked = asked;
    this.#show(prompt ?? this.#mainPrompt);
    if (!asked.isQuestion) this.offer(draft);
    try {
      return signal ? await orAborted(promise, signal) : await promise;
    } finally {
      if (this.#asked === asked) this.#withdraw();
      this.#hide();
      this.#write(putAside);
    }
  }

  /** Lets a text stand in the user's line when there is nothing in it; what somebody is typing comes first. */
  offer(draft: string | undefined): void {
    if (draft !== undefined) this.#drafts = [...this.#drafts, draft];
    const isFree = this.#asked?.isQuestion === false && this.#begun.length === 0 && this.#reader.line === "";
    const [next, ...rest] = this.#drafts;
    if (next === undefined || !isFree) return;
    this.#drafts = rest;
    this.#reader.write(editableLine(next));
  }

  /** Drops the message under way; false if there was none. */
  clear(): boolean {
    if (this.#reader.line === "" && this.#begun.length === 0) return false;
    this.#begun = [];
    if (this.#asked?.isQuestion === false) this.#reader.setPrompt(mainPrompt);
    this.#cleared();
    this.#reader.prompt();
    return true;
  }

  /** Prints a line above the one that is being typed. */
  say(line: string): void {
    this.#screen.write(`\n${line}\n`);
    this.#reader.prompt(true);
  }

  close(): void {
    this.#reader.close();
  }

  get #mainPrompt(): string {
    return this.#begun.length === 0 ? mainPrompt : nextPrompt;
  }

  #show(prompt: string): void {
    this.#echo.show();
    this.#reader.setPrompt(prompt);
    this.#reader.prompt(true);
  }

  /** What is in the line stays there. */
  #hide(): void {
    this.#reader.setPrompt("");
    const typed = this.#cleared();
    this.#echo.hide();
    // So that the reader forgets on how many rows it has drawn.
    if (!this.#isClosed) this.#reader.prompt();
    this.#write(typed);
  }

  /** A reader that is closed would wait for more. */
  #write(text: string): void {
    if (!this.#isClosed && text !== "") this.#reader.write(text);
  }

  /** Empties the line; what was in it. */
  #cleared(): string {
    const { line } = this.#reader;
    if (line === "" || this.#isClosed) return "";
    this.#reader.write(null, { ctrl: true, name: "e" });
    this.#reader.write(null, { ctrl: true, name: "u" });
    return line;
  }

  /** Nobody waits for the answer any more. */
  #withdraw(): void {
    this.#asked = undefined;
    this.#cleared();
    this.#screen.write("\n");
  }

  #wake(): void {
    this.#screen.write(marksPastes);
    this.#reader.prompt(true);
  }

  #end(): void {
    this.#isClosed = true;
    this.#screen.write(marksNothing);
    this.#echo.destroy();
    this.#deliver(this.#asked);
    this.#answer(this.#begun.length === 0 ? undefined : this.#begun.join("\n"));
  }

  #take(line: string): void {
    if (this.#paste) return void this.#paste.lines.push(line);
    if (this.#lines.push(line) > 1) return;
    const asked = this.#asked;
    setTimeout(() => this.#deliver(asked), pasteTime);
  }

  /** `asked`: who waited when the first of the lines came. */
  #deliver(asked: Asked | undefined): void {
    if (this.#lines.length === 0) return;
    const text = editedText(this.#lines.join("\n"));
    this.#lines = [];
    if (asked?.isQuestion && asked === this.#asked) this.#answer(text);
    else if (text.endsWith("\\")) this.#goOn(text.slice(0, -1));
    else {
      const whole = [...this.#begun, text].join("\n");
      this.#begun = [];
      if (asked && asked === this.#asked) this.#answer(whole);
      else this.#onAside(whole);
    }
  }

  #goOn(line: string): void {
    this.#begun = [...this.#begun, line];
    if (this.#asked?.isQuestion === false) this.#show(nextPrompt);
  }

  #answer(line: string | undefined): void {
    const asked = this.#asked;
    this.#asked = undefined;
    asked?.answer(line);
  }

  #beginPaste(): void {
    const { line, cursor } = this.#reader;
    this.#paste = { before: line.slice(0, cursor), after: line.slice(cursor), lines: [] };
    this.#cleared();
    this.#echo.hide();
  }

  #endPaste(): void {
    if (!this.#paste) return;
    const { before, after, lines } = this.#paste;
    this.#paste = undefined;
    const pasted = [...lines, this.#cleared()].join("\n");
    if (this.#asked) this.#echo.show();
    this.#reader.write(before + editableLine(pasted) + after);
  }
}
