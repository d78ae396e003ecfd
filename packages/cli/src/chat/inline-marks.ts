import type { Style } from "../output.ts";

export type Paint = (style: Style, text: string) => string;

/** A mark whose counterpart is further away is none; so little is held back. */
const reach = 2000;

const marks = /`+|\*+/g;
const blank = /^$|\s$/;
const punctuation = /[\p{P}\p{S}]$/u;

/**
 * Draws the bold words and the code of one line while it arrives. A mark is taken out only if it has a counterpart and
 * stands as CommonMark wants it (an opening one, besides, not inside a word or a path); any other is text. Held back is
 * only what may turn out to be between two marks.
 */
export class InlineMarks {
  readonly #paint: Paint;
  #style: Style | undefined;
  #held = "";
  /** The end of what was drawn. */
  #before = "";

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  /** A line begins, of which everything has this style. */
  begin(style: Style | undefined): void {
    this.#style = style;
    this.#before = "";
  }

  push(text: string): string {
    return this.#draw(this.#held + text, false);
  }

  /** What was held back of the line. */
  end(): string {
    return this.#draw(this.#held, true);
  }

  #draw(text: string, isWhole: boolean): string {
    const line = { before: this.#before, text, isWhole };
    let drawn = "";
    let end = 0;
    for (let run = runAt(text, 0); run; run = runAt(text, end)) {
      const close = counterpart(line, run);
      if (close === "unknown") break;
      const [start, after] = close === undefined ? [run.end, run.end] : [run.start, close.end];
      drawn += this.#plain(text.slice(end, start));
      if (close !== undefined) drawn += this.#marked(run, text.slice(run.end, close.start));
      end = after;
    }
    const held = runAt(text, end)?.start ?? text.length;
    drawn += this.#plain(text.slice(end, held));
    this.#before = (this.#before + text.slice(0, held)).slice(-2);
    this.#held = text.slice(held);
    return drawn;
  }

  #marked(run: Run, content: string): string {
    if (run.mark.startsWith("`")) return this.#paint("cyan", content);
    const inner = new InlineMarks(this.#paint);
    inner.begin("bold");
    return inner.push(content) + inner.end();
  }

  #plain(text: string): string {
    return this.#style === undefined || text === "" ? text : this.#paint(this.#style, text);
  }
}

/** As much of a line as there is. */
interface Line {
  readonly before: string;
  readonly text: string;
  readonly isWhole: boolean;
}

interface Run {
  readonly mark: string;
  readonly start: number;
  readonly end: number;
}

type Found = Run | "unknown" | undefined;

function runAt(text: string, from: number): Run | undefined {
  marks.lastIndex = from;
  const found = marks.exec(text);
  return found ? { mark: found[0], start: found.index, end: marks.lastIndex } : undefined;
}

function counterpart(line: Line, run: Run): Found {
  // What follows it decides, and it may not even be the whole run.
  if (run.end === line.text.length && !line.isWhole && run.mark.length <= reach) return "unknown";
  if (run.mark.startsWith("`")) return closingCode(line, run);
  return run.mark === "**" && flanks(line, run, "left") && !flanks(line, run, "right")
    ? closingBold(line, run)
    : undefined;
}

function closingCode({ text, isWhole }: Line, { mark, start, end }: Run): Found {
  for (let run = runAt(text, end); run && run.start <= start + reach; run = runAt(text, run.end)) {
    if (run.end === text.length && !isWhole) return "unknown";
    if (run.mark === mark) return run;
  }
  return isWhole || text.length > start + reach + mark.length ? undefined : "unknown";
}

function closingBold(line: Line, { mark, start, end }: Run): Found {
  const { text, isWhole } = line;
  for (let run = runAt(text, end); run && run.start <= start + reach; ) {
    if (run.end === text.length && !isWhole) return "unknown";
    if (run.mark === mark && flanks(line, run, "right")) return run;
    const code = run.mark.startsWith("`") ? closingCode(line, run) : undefined;
    if (code === "unknown") return code;
    run = runAt(text, (code ?? run).end);
  }
  return isWhole || text.length > start + reach + mark.length ? undefined : "unknown";
}

/** Whether a run could open (`left`) or close what is between two, by CommonMark's rules. */
function flanks({ before, text }: Line, { start, end }: Run, side: "left" | "right"): boolean {
  const previous = (before + text.slice(0, start)).slice(-2);
  const next = String.fromCodePoint(...[text.codePointAt(end) ?? 0x20]);
  const [inner, outer] = side === "left" ? [next, previous] : [previous, next];
  return !blank.test(inner) && (!punctuation.test(inner) || blank.test(outer) || punctuation.test(outer));
}
