import type { Diagnostic } from "../../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import { type EntryHead, headOf, type Position } from "../../entry/head.ts";
import type { SessionDecoder } from "../../format/session-decoder.ts";
import type { Block } from "./lines-before.ts";
import { messageFront, typeInFront } from "./message-front.ts";

/** What the lines of a block hold, in file order. */
export interface BlockContent {
  readonly heads: EntryHead[];
  /** Of the line of each head. */
  readonly lengths: number[];
  readonly diagnostics: Diagnostic[];
}

/** Reads lines out of blocks, in whatever order blocks come: whole, by their fronts, or just their types. */
export class BlockReader {
  readonly #decoder: SessionDecoder;
  readonly #shapeOf: (position: Position, length: number) => Uint8Array;

  /** `shapeOf` reads a line that is longer than its block, as far as its head needs. */
  constructor(decoder: SessionDecoder, shapeOf: (position: Position, length: number) => Uint8Array) {
    this.#decoder = decoder;
    this.#shapeOf = shapeOf;
  }

  /** Every line decoded; `keep` is given the entries. A line that is longer than its block is read by its front. */
  whole(block: Block, keep: (entry: SessionTreeEntry, position: Position, length: number) => void): BlockContent {
    if (block.longLine !== undefined) return this.fronts(block);
    const content: BlockContent = { heads: [], lengths: [], diagnostics: [] };
    eachLine(block, (start, end) => {
      const entry = this.#decode(block, start, end, content);
      if (entry) keep(entry, block.position + start, end - start);
    });
    return content;
  }

  /** The heads, most of them by the fronts of their lines. */
  fronts(block: Block): BlockContent {
    const content: BlockContent = { heads: [], lengths: [], diagnostics: [] };
    let neighbour: EntryHead | undefined;
    eachLine(block, (start, end) => {
      const head = messageFront(block.bytes, start, end, block.position + start, neighbour);
      if (head) {
        content.heads.push(head);
        content.lengths.push(block.longLine ?? end - start);
        neighbour = head;
      } else {
        neighbour = this.#decode(block, start, end, content) && content.heads.at(-1);
      }
    });
    return content;
  }

  addTypes(block: Block, types: Set<string>): void {
    eachLine(block, (start, end) => {
      const type = typeInFront(block.bytes, start, end) ?? this.#decode(block, start, end)?.type;
      if (type !== undefined) types.add(type);
    });
  }

  #decode({ bytes, position, longLine }: Block, start: number, end: number, content?: BlockContent) {
    const at = position + start;
    const length = longLine ?? end - start;
    const line = longLine === undefined ? bytes.subarray(start, end) : this.#shapeOf(at, longLine);
    const place = { start: at, end: at + length + 1, terminated: true };
    const { entry, diagnostics } = this.#decoder.decode({ bytes: line, ...place });
    content?.diagnostics.push(...diagnostics);
    if (!entry) return undefined;
    content?.heads.push(headOf(entry, at));
    content?.lengths.push(length);
    return entry;
  }
}

function eachLine({ first, ends }: Block, visit: (start: number, end: number) => void): void {
  let start = first;
  for (const end of ends) {
    visit(start, end);
    start = end + 1;
  }
}
