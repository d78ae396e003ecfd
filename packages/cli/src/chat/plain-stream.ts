import { plainText } from "bough/outline";

/** Text that arrives in pieces, as it may be shown; a control sequence or a character may be torn between two pieces. */
export class PlainStream {
  #held = "";

  push(text: string): string {
    const all = this.#held + text;
    const end = unfinished.exec(all)?.index ?? all.length;
    this.#held = all.slice(end);
    return plainText(all.slice(0, end));
  }

  end(): string {
    const rest = plainText(this.#held);
    this.#held = "";
    return rest;
  }
}

/** At most so much is held back, whatever a sequence says that never ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unfinished = /(?:[\u001b\u0090\u0098\u009b\u009d-\u009f][^\n]{0,64}|[\ud800-\udbff]|\r)$/;
