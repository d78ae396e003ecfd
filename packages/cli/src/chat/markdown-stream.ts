import type { Style } from "../output.ts";

export type Paint = (style: Style, text: string) => string;

/**
 * Draws Markdown for a terminal while it arrives: headings, bold words, code, lists and quotes, nothing that would need
 * what comes later. What it is given must be plain text. It holds back the word that is not whole yet.
 */
export class MarkdownStream {
  readonly #paint: Paint;
  #held = "";
  #atLineStart = true;
  #isHeading = false;
  #isBold = false;
  #isCode = false;
  /** The rest of the line is a fence. */
  #isFence = false;
  /** The fence that would close the block of code under way. */
  #fence: string | undefined;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  push(text: string): string {
    const lines = (this.#held + text).split("\n");
    this.#held = lines.pop() as string;
    const whole = lines.map((line) => `${this.#piece(line)}${this.#endLine()}`).join("");
    const end = this.#held.lastIndexOf(" ") + 1;
    const words = this.#held.slice(0, end);
    if (end === 0 || (this.#atLineStart && words.trim() === "")) return whole;
    this.#held = this.#held.slice(end);
    return whole + this.#piece(words);
  }

  /** What was held back; the next text begins anew. */
  end(): string {
    const rest = this.#piece(this.#held);
    this.#held = "";
    this.#fence = undefined;
    this.#endLine();
    return rest;
  }

  #endLine(): string {
    this.#atLineStart = true;
    this.#isHeading = false;
    this.#isBold = false;
    this.#isCode = false;
    this.#isFence = false;
    return "\n";
  }

  #piece(text: string): string {
    if (text === "") return "";
    const begins = this.#atLineStart;
    this.#atLineStart = false;
    const fence = begins ? /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1] : undefined;
    if (fence !== undefined && (this.#fence === undefined || fence.startsWith(this.#fence))) {
      this.#fence = this.#fence === undefined ? fence : undefined;
      this.#isFence = true;
    }
    if (this.#isFence) return this.#paint("dim", text);
    if (this.#fence !== undefined) return this.#paint("cyan", text);
    return begins ? this.#lineStart(text) : this.#inline(text);
  }

  #lineStart(text: string): string {
    const [, indent = "", marker = "", rest = ""] = /^(\s*)(#{1,6}|[-*+]|>) (.*)$/s.exec(text) ?? [];
    if (marker === "") return this.#inline(text);
    if (marker === ">") return `${indent}${this.#paint("dim", "│ ")}${this.#inline(rest)}`;
    if (!marker.startsWith("#")) return `${indent}• ${this.#inline(rest)}`;
    this.#isHeading = true;
    return this.#inline(rest);
  }

  #inline(text: string): string {
    return text
      .split(/(\*\*|`)/)
      .map((part) => this.#part(part))
      .join("");
  }

  #part(part: string): string {
    if (part === "`") this.#isCode = !this.#isCode;
    else if (part === "**" && !this.#isCode) this.#isBold = !this.#isBold;
    else if (part !== "") return this.#styled(part);
    return "";
  }

  #styled(text: string): string {
    if (this.#isCode) return this.#paint("cyan", text);
    return this.#isBold || this.#isHeading ? this.#paint("bold", text) : text;
  }
}
