import { isUtf8 } from "node:buffer";
import { frontOfLongest, longestLine } from "../../format/line-text.ts";
import type { UnfinishedLine } from "../../format/lines.ts";
import { BitStack } from "./bit-stack.ts";
import { firstAction, jsonSteps, stepOf } from "./json-steps.ts";

/** How many bytes are left of what is long. */
export interface ShortenedSizes {
  /** Of a string. */
  readonly string: number;
  /** Of a member of the record, or of an object right below it, with all that is in it. */
  readonly member: number;
  readonly line: number;
}

/** As much of a string as says what it is, and of a list more than anybody looks through. */
const usualSizes: ShortenedSizes = { string: 4096, member: 4 << 20, line: 8 << 20 };

/**
 * A line of JSON without most of what makes it long: strings end behind their beginnings, lists and objects behind their
 * first members, and nothing is blank for long. It is made from the line's pieces in file order, of which none is held.
 * What is wrong with a line stays wrong: it is no JSON, or no UTF-8, exactly if the whole line isn't. One that is too
 * long to be read ends anywhere.
 */
export function shortenedLine(pieces: Iterable<Uint8Array>, sizes = usualSizes): Uint8Array {
  const line = new ShortenedLine(sizes);
  for (const piece of pieces) line.push(piece);
  return line.bytes();
}

/** The members of objects this deep say what the record is. */
const deepestOwn = 2;

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const blank = 0x20;
const nulByte = Uint8Array.of(0);
const invalidUtf8 = Uint8Array.of(0xff);
const invalidJson = Uint8Array.of(0x01);

const [start, nuls, nul, fail] = [stepOf("start"), stepOf("nuls"), stepOf("nul"), stepOf("fail")];
const [value, firstElement] = [stepOf("value"), stepOf("firstElement")];
const [key, firstKey, colon, after] = [stepOf("key"), stepOf("firstKey"), stepOf("colon"), stepOf("after")];
const [text, name, comma] = [stepOf("text"), stepOf("name"), stepOf("comma")];
const [object, array] = [stepOf("object"), stepOf("array")];
const [endOfObject, endOfArray] = [stepOf("endOfObject"), stepOf("endOfArray")];

/** The same, of pieces that are pushed. */
export class ShortenedLine implements UnfinishedLine {
  readonly #sizes: ShortenedSizes;
  readonly #steps = jsonSteps();
  readonly #kept: Uint8Array[] = [];
  #keptLength = 0;
  #state = start;
  /** The brackets around the present place: whether they are an object's. */
  readonly #enclosing = new BitStack();
  /** What the string under way may still take; undefined outside of strings. */
  #room: number | undefined;
  /** How much was kept when the member of the record, or of an object right below it, began. */
  #memberStart = 0;
  #isKeeping = true;
  #isNoJson = false;
  /** The object or list, by how deep it is, whose further members are left out; none where only a string is cut. */
  #cut: { readonly depth: number; readonly isBehindMember: boolean } | undefined;
  /** There was no UTF-8 in what is left out. */
  #isSpoilt = false;
  /** In the bytes at hand, where what was neither kept nor left out yet begins. */
  #from = 0;
  /** The end of a piece, which says something together with the next one. */
  #rest: Uint8Array = new Uint8Array();
  #lastByte: number | undefined;
  #length = 0;

  constructor(sizes: ShortenedSizes) {
    this.#sizes = sizes;
  }

  push(piece: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let at = 0;
    for (let next = this.#pass(bytes, at); next > at; next = this.#pass(bytes, at)) at = next;
    if (this.#isNoJson) at = characterStart(bytes, 0, at);
    this.#settle(bytes, at);
    this.#from = 0;
    this.#rest = copyOf(bytes.subarray(at));
    this.#lastByte = piece.at(-1) ?? this.#lastByte;
    this.#length += piece.length;
  }

  bytes(): Uint8Array {
    if (this.#length > longestLine) return Buffer.concat(this.#kept).subarray(0, frontOfLongest);
    if (this.#isKeeping) return Buffer.concat([...this.#kept, this.#rest]);
    const damage = this.#isSpoilt || !isUtf8(this.#rest) ? [invalidUtf8] : [];
    return Buffer.concat([...this.#kept, ...damage, ...(this.#lastByte === 0 ? [nulByte] : [])]);
  }

  /** Where to go on; `at` where more has to be seen. */
  #pass(bytes: Uint8Array, at: number): number {
    if (this.#isNoJson) return bytes.length;
    return this.#room === undefined ? this.#passStructure(bytes, at) : this.#passText(bytes, at, this.#room);
  }

  /** To where a string begins. */
  #passStructure(bytes: Uint8Array, from: number): number {
    const steps = this.#steps;
    let state = this.#state;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      state = steps[(state << 8) | byte] as number;
      if (state >= firstAction) state = this.#act(state, bytes, at);
      else if (byte <= blank) at = this.#passBlanks(bytes, at);
      else continue;
      if (this.#room === undefined && !this.#isNoJson) continue;
      this.#state = state;
      return at + 1;
    }
    this.#state = state;
    return bytes.length;
  }

  /** To the last of as many of the same as follow each other, of which one says as much. */
  #passBlanks(bytes: Uint8Array, at: number): number {
    let last = at;
    while (last + 1 < bytes.length && bytes[last + 1] === bytes[at]) last++;
    if (this.#isKeeping && last > at) {
      this.#settle(bytes, at + 1);
      this.#from = last + 1;
    }
    return last;
  }

  /** What an action leads to. */
  #act(action: number, bytes: Uint8Array, at: number): number {
    const { length: depth, top: isInObject } = this.#enclosing;
    switch (action) {
      case text:
      case name:
        this.#room = this.#sizes.string;
        return action === name ? colon : after;
      case object:
      case array:
        this.#enclosing.push(action === object);
        this.#limit(bytes, at + 1, false);
        return action === object ? firstKey : firstElement;
      case endOfObject:
      case endOfArray:
        if (depth === 0 || isInObject !== (action === endOfObject)) return this.#fail(bytes, at);
        if (this.#cut?.depth === depth) this.#endCut(bytes, at, this.#cut.isBehindMember);
        this.#enclosing.pop();
        return after;
      case comma:
        if (depth === 0) return this.#fail(bytes, at);
        this.#limit(bytes, at, true);
        return isInObject ? key : value;
      case nul:
        return depth === 0 ? nuls : this.#fail(bytes, at);
      default:
        return this.#fail(bytes, at);
    }
  }

  /** Leaves out what follows in the innermost brackets if enough was kept. */
  #limit(bytes: Uint8Array, at: number, isBehindMember: boolean): void {
    if (!this.#isKeeping) return;
    const { length: depth, top: isInObject } = this.#enclosing;
    const kept = this.#keptLength + at - this.#from;
    if (isInObject && depth <= deepestOwn) this.#memberStart = kept;
    if (kept <= this.#sizes.line && kept - this.#memberStart <= this.#sizes.member) return;
    this.#leaveOut(bytes, at);
    this.#cut = { depth, isBehindMember };
  }

  #endCut(bytes: Uint8Array, at: number, isBehindMember: boolean): void {
    const isSpoilt = this.#goOn(bytes, at);
    this.#cut = undefined;
    if (!isSpoilt) return;
    if (isBehindMember) this.#keep(Buffer.from(","));
    this.#keep(Buffer.from([quote, ...invalidUtf8, quote]));
    if (this.#enclosing.top) this.#keep(Buffer.from(":0"));
  }

  #passText(bytes: Uint8Array, from: number, room: number): number {
    let end = from;
    while (end < bytes.length && isPlain(bytes[end] as number)) end++;
    const whole = end < bytes.length ? end : characterStart(bytes, from, end);
    this.#spend(bytes, from, whole, characterStart(bytes, from, Math.min(whole, from + room)));
    if (end === bytes.length) return whole;
    if (bytes[end] === quote) {
      this.#endText(bytes, end);
      return end + 1;
    }
    return this.#passEscaped(bytes, end);
  }

  #passEscaped(bytes: Uint8Array, at: number): number {
    const length = escapedLength(bytes, at);
    if (length === "unknown") return at;
    if (length === 0) this.#fail(bytes, at);
    else this.#spend(bytes, at, at + length, at);
    return at + length;
  }

  /** Goes on from `from` to `to` in a string, which ends at `cut` if it has no room for all of that. */
  #spend(bytes: Uint8Array, from: number, to: number, cut: number): void {
    if (!this.#isKeeping) return;
    this.#room = (this.#room as number) - (to - from);
    if (this.#room < 0) this.#leaveOut(bytes, cut);
  }

  #endText(bytes: Uint8Array, at: number): void {
    if (!this.#isKeeping && !this.#cut && this.#goOn(bytes, at)) this.#keep(invalidUtf8);
    this.#room = undefined;
  }

  #fail(bytes: Uint8Array, at: number): number {
    this.#leaveOut(bytes, at);
    this.#keep(invalidJson);
    this.#isNoJson = true;
    return fail;
  }

  #leaveOut(bytes: Uint8Array, at: number): void {
    this.#settle(bytes, at);
    this.#isKeeping = false;
  }

  /** Keeps what comes again. Returns whether what was left out was no UTF-8. */
  #goOn(bytes: Uint8Array, at: number): boolean {
    this.#settle(bytes, at);
    const isSpoilt = this.#isSpoilt;
    this.#isSpoilt = false;
    this.#isKeeping = true;
    return isSpoilt;
  }

  #settle(bytes: Uint8Array, to: number): void {
    const passed = bytes.subarray(this.#from, to);
    this.#from = to;
    if (this.#isKeeping) this.#keep(copyOf(passed));
    else this.#isSpoilt ||= !isUtf8(passed);
  }

  #keep(bytes: Uint8Array): void {
    this.#kept.push(bytes);
    this.#keptLength += bytes.length;
  }
}

/** Of a string: stands for itself. */
function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte !== quote && byte !== backslash;
}

/** Of what is escaped at `at`, its backslash included: 0 if nothing can be, or unknown where the bytes end before it does. */
function escapedLength(bytes: Uint8Array, at: number): number | "unknown" {
  if (bytes[at] !== backslash) return 0;
  if (at + 1 === bytes.length) return "unknown";
  if (bytes[at + 1] !== letterU) return escapable.has(bytes[at + 1] as number) ? 2 : 0;
  if (at + 6 > bytes.length) return "unknown";
  for (let digit = at + 2; digit < at + 6; digit++) if (!isHexDigit(bytes[digit] as number)) return 0;
  return 6;
}

const escapable: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

/** The last place at or before `at` where no character of UTF-8 is under way; `at` itself if none begins shortly before. */
function characterStart(bytes: Uint8Array, from: number, at: number): number {
  for (let start = at - 1; start >= Math.max(from, at - 3); start--) {
    const byte = bytes[start] as number;
    if (byte < 0x80) return at;
    if (byte >= 0xc0) return start + lengthFrom(byte) > at ? start : at;
  }
  return at;
}

/** Of the character whose first byte this is. */
function lengthFrom(byte: number): number {
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}

/** By the typed array, since a slice of a buffer would be a view of it. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}
