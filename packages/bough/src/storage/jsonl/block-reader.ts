import type { Diagnostic } from "../../entry/diagnostic.ts";
import type { SessionTreeEntry } from "../../entry/entry.ts";
import { headOf, type Position } from "../../entry/head.ts";
import { HeadList, type Heads } from "../../entry/heads.ts";
import type { DecodedLine, SessionDecoder } from "../../format/session-decoder.ts";
import { HeadPacker } from "./head-packer.ts";
import type { Block } from "./lines-before.ts";
import { MessageFront, messageHead, typeInFront } from "./message-front.ts";

/** What the lines of a block hold, in file order. */
export interface BlockContent {
  readonly heads: Heads;
  /** Of the line of each head. */
  readonly lengths: readonly number[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads lines out of blocks, in whatever order blocks come: whole, by their fronts, or just their types. */
export class BlockReader {
  readonly #decoder: SessionDecoder;
  readonly #front = new MessageFront();
  readonly #shapeOf: (position: Position, length: number) => Uint8Array;

  /** `shapeOf` reads a line that is longer than its block, as far as its head needs. */
  constructor(decoder: SessionDecoder, shapeOf: (position: Position, length: number) => Uint8Array) {
    this.#decoder = decoder;
    this.#shapeOf = shapeOf;
  }

  /** Every line decoded; `keep` is given the entries. A line that is longer than its block is read by its front. */
  whole(block: Block, keep: (entry: SessionTreeEntry, position: Position, length: number) => void): BlockContent {
    if (block.longLine !== undefined) return this.packedFronts(block);
    const heads = new HeadList();
    const lengths: number[] = [];
    const diagnostics: Diagnostic[] = [];
    eachLine(block, (start, end) => {
      const { entry, diagnostics: found } = this.#decode(block, start, end);
      if (found.length > 0) diagnostics.push(...found);
      if (!entry) return;
      heads.push(headOf(entry, block.position + start));
      lengths.push(end - start);
      keep(entry, block.position + start, end - start);
    });
    return { heads, lengths, diagnostics };
  }

  /** The heads, most of them by the fronts of their lines. */
  fronts(block: Block): BlockContent {
    if (block.longLine !== undefined) return this.packedFronts(block);
    const heads = new HeadList();
    const lengths: number[] = [];
    const diagnostics: Diagnostic[] = [];
    eachLine(block, (start, end) => {
      let head = messageHead(block.bytes, start, end, block.position + start);
      if (head === undefined) {
        const { entry, diagnostics: found } = this.#decode(block, start, end);
        if (found.length > 0) diagnostics.push(...found);
        if (!entry) return;
        head = headOf(entry, block.position + start);
      }
      heads.push(head);
      lengths.push(end - start);
    });
    return { heads, lengths, diagnostics };
  }

  /** The same for many lines, in a form that takes less room. */
  packedFronts(block: Block): BlockContent {
    const heads = new HeadPacker(block);
    const lengths: number[] = [];
    const diagnostics: Diagnostic[] = [];
    eachLine(block, (start, end) => {
      if (this.#front.find(block.bytes, start, end)) {
        heads.addMessage(start, this.#front);
        lengths.push(block.longLine ?? end - start);
        return;
      }
      const { entry, diagnostics: found } = this.#decode(block, start, end);
      if (found.length > 0) diagnostics.push(...found);
      if (!entry) return;
      heads.addOther(headOf(entry, block.position + start));
      lengths.push(block.longLine ?? end - start);
    });
    return { heads: heads.packed(), lengths, diagnostics };
  }

  addTypes(block: Block, types: Set<string>): void {
    eachLine(block, (start, end) => {
      const type = typeInFront(block.bytes, start, end) ?? this.#decode(block, start, end).entry?.type;
      if (type !== undefined) types.add(type);
    });
  }

  #decode({ bytes, position, longLine }: Block, start: number, end: number): DecodedLine {
    const at = position + start;
    const length = longLine ?? end - start;
    const line = longLine === undefined ? bytes.subarray(start, end) : this.#shapeOf(at, longLine);
    return this.#decoder.decode({ bytes: line, start: at, end: at + length + 1, terminated: true });
  }
}

function eachLine({ first, ends }: Block, visit: (start: number, end: number) => void): void {
  let start = first;
  for (const end of ends) {
    visit(start, end);
    start = end + 1;
  }
}
