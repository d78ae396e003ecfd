import type { WriteStream } from "node:tty";
import { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];

const blockLength = 64 * 1024;

/** Standard output or error: waits for slow readers, and colours where the terminal or the user wants it. */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  #wantsColour: boolean | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** What stands behind it, for those who draw on it themselves. */
  get stream(): NodeJS.WriteStream {
    return this.#stream;
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Cells in a row, 80 where a terminal doesn't say; unlimited where none is. */
  get width(): number {
    return this.isTerminal ? (this.#stream as WriteStream).columns || 80 : Number.POSITIVE_INFINITY;
  }

  /** The caller answers for what is in it: stored text goes through `plainText` or `plainLine` first. */
  async write(text: string): Promise<void> {
    if (this.#stream.write(text)) return;
    await new Promise<void>((resolve) => this.#stream.once("drain", resolve));
  }

  /** Many pieces in few writes. */
  async writeAll(pieces: Iterable<string>): Promise<void> {
    let block = "";
    for (const piece of pieces) {
      block += piece;
      if (block.length < blockLength) continue;
      await this.write(block);
      block = "";
    }
    await this.write(block);
  }

  async line(text = ""): Promise<void> {
    await this.write(`${text}\n`);
  }

  get wantsColour(): boolean {
    this.#wantsColour ??= styleText("bold", ".", { stream: this.#stream }) !== ".";
    return this.#wantsColour;
  }

  paint(style: Style, text: string): string {
    return this.wantsColour ? styleText(style, text, { stream: this.#stream }) : text;
  }
}
