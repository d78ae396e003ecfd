import { InlineMarks, type Paint } from "./inline-marks.ts";

/** Nothing of a line is drawn while it may still become one of these. */
const undecided = /^\s{0,60}(?:#{1,6}|[-*+>]|`{1,60}|~{1,60})?$/;
const marked = /^(\s{0,60})(#{1,6}|[-*+]|>) (.*)$/s;
const fenced = /^ {0,3}(`{3,60}|~{3,60})(.*)$/s;

/**
 * Draws Markdown for a terminal while it arrives: headings, bold words, code, lists and quotes. What it is given must be
 * plain text. It holds back what may be a mark until it is known whether it is one.
 */
export class MarkdownStream {
  readonly #paint: Paint;
  readonly #inline: InlineMarks;
  /** Undefined once the line has begun. */
  #start: string | undefined = "";
  /** The line under way is a fence; this is what is in force if it turns out to be none. */
  #isFence = false;
  #otherwise: string | undefined;
  /** The fence that would close the block of code under way. */
  #fence: string | undefined;

  constructor(paint: Paint) {
    this.#paint = paint;
    this.#inline = new InlineMarks(paint);
  }

  push(text: string): string {
    const [first = "", ...others] = text.split("\n");
    return this.#piece(first) + others.map((line) => `${this.#endLine()}\n${this.#piece(line)}`).join("");
  }

  /** What was held back; the next text begins anew. */
  end(): string {
    const rest = this.#endLine();
    this.#fence = undefined;
    return rest;
  }

  #endLine(): string {
    const rest = (this.#start === undefined ? "" : this.#begin(this.#start)) + this.#inline.end();
    this.#start = "";
    this.#isFence = false;
    return rest;
  }

  #piece(text: string): string {
    if (this.#start === undefined) return this.#goOn(text);
    this.#start += text;
    return undecided.test(this.#start) ? "" : this.#begin(this.#start);
  }

  #begin(text: string): string {
    this.#start = undefined;
    this.#inline.begin(undefined);
    const [, fence, rest = ""] = fenced.exec(text) ?? [];
    if (fence !== undefined && (this.#fence === undefined || fence.startsWith(this.#fence))) {
      this.#isFence = true;
      this.#otherwise = this.#fence;
      this.#fence = this.#fence === undefined ? fence : undefined;
      // A line such as ```this``` begins no block.
      if (rest.includes("`")) this.#fence = this.#otherwise;
      return this.#paint("dim", text);
    }
    return this.#fence === undefined ? this.#lineStart(text) : this.#goOn(text);
  }

  #lineStart(text: string): string {
    const [, indent = "", marker = "", rest = ""] = marked.exec(text) ?? [];
    if (marker === "") return this.#goOn(text);
    if (marker === ">") return `${indent}${this.#paint("dim", "│ ")}${this.#goOn(rest)}`;
    if (!marker.startsWith("#")) return `${indent}• ${this.#goOn(rest)}`;
    this.#inline.begin("bold");
    return this.#goOn(rest);
  }

  #goOn(text: string): string {
    if (text === "") return "";
    if (this.#isFence && text.includes("`")) this.#fence = this.#otherwise;
    if (this.#isFence) return this.#paint("dim", text);
    return this.#fence === undefined ? this.#inline.push(text) : this.#paint("cyan", text);
  }
}
