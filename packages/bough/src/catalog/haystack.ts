/*
 * Bytes in which three letters at distances from each other are found sixteen places at a time: byte after byte, a search
 * in JavaScript takes several times as long as reading the file. What is compared is compared in lower case.
 *
 *   (func (export "f") (param $at i32) (param $end i32) (param $first i32) (param $rarest i32) (param $last i32)
 *       (param $step i32) (param $gap i32) (param $out i32) (param $outEnd i32) (result i32)
 *     (local $firsts v128) (local $rarests v128) (local $lasts v128) (local $case v128) (local $found i32)
 *     (local.set $firsts (i8x16.splat (local.get $first)))
 *     (local.set $rarests (i8x16.splat (local.get $rarest)))
 *     (local.set $lasts (i8x16.splat (local.get $last)))
 *     (local.set $case (i8x16.splat (i32.const 0x20)))
 *     (loop $next
 *       (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $out))))
 *       (i8x16.eq (v128.or (v128.load (local.get $at)) (local.get $case)) (local.get $firsts))
 *       (i8x16.eq (v128.or (v128.load (i32.add (local.get $at) (local.get $step))) (local.get $case)) (local.get $rarests))
 *       (i8x16.eq (v128.or (v128.load (i32.add (local.get $at) (local.get $gap))) (local.get $case)) (local.get $lasts))
 *       (if (local.tee $found (i8x16.bitmask (v128.and (v128.and)))) (then (loop $bit
 *         (if (i32.eq (local.get $out) (local.get $outEnd)) (then (return (local.get $out))))
 *         (i32.store (local.get $out) (i32.add (local.get $at) (i32.ctz (local.get $found))))
 *         (local.set $out (i32.add (local.get $out) (i32.const 4)))
 *         (local.tee $found (i32.and (local.get $found) (i32.sub (local.get $found) (i32.const 1))))
 *         (br_if $bit))))
 *       (local.set $at (i32.add (local.get $at) (i32.const 16)))
 *       (br $next)) unreachable)
 */
const program = [
  "0061736d01000000 010e0160097f7f7f7f7f7f7f7f7f017f 03020100 0503010002 070902016d020001660000 0aa001019d01 02047b017f",
  "2002fd0f2109 2003fd0f210a 2004fd0f210b 4120fd0f210c 0340 200020014f044020070f0b",
  "2000fd000000200cfd502009fd23 200020056afd000000200cfd50200afd23 200020066afd000000200cfd50200bfd23",
  "fd4efd4e fd64220d 04400340 2007200846044020070f0b 20072000200d686a360200 200741046a2107 200d200d41016b71220d0d000b0b",
  "200041106a21000c000b000b",
].join("");

/** What Node's types leave to those of browsers. */
interface WebAssemblyHere {
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Program };
}

interface Program {
  readonly m: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly f: (...where: [at: number, end: number, ...letters: number[], out: number, outEnd: number]) => number;
}

let compiled: object | undefined;

/** So many places are found in one go. */
export const mostPlaces = 1024;
/** Where they are put, and behind them one that is looked for alone. */
const outLength = 4 * (mostPlaces + 1);
/** Behind the bytes there is room for what is looked at in one step. */
const margin = 256;

/** The longest distance. */
export const longestGap = margin - 16;

const page = 64 << 10;

/** Memory to search in: `bytes` are the caller's to fill. */
export class Haystack {
  readonly #program: Program;
  #out: Int32Array;
  bytes: Buffer;

  constructor() {
    const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyHere }).WebAssembly;
    compiled ??= new Module(Buffer.from(program.replaceAll(" ", ""), "hex"));
    this.#program = new Instance(compiled).exports;
    [this.bytes, this.#out] = this.#views();
  }

  /** Makes `bytes` half as long again, with what is in them. */
  grow(): void {
    this.#program.m.grow(Math.ceil(this.bytes.length / 2 / page));
    [this.bytes, this.#out] = this.#views();
  }

  /**
   * The first `mostPlaces` places from `from` on where these stand so far apart, in order, and maybe some at `end` or
   * behind. Valid until it is called again.
   */
  places(from: number, end: number, letters: Letters): Int32Array {
    return this.#out.subarray(0, this.#find(from, end, letters, 0, mostPlaces));
  }

  /** The first of them before `end`, or -1. */
  place(from: number, end: number, letters: Letters): number {
    const count = this.#find(from, end, letters, mostPlaces, mostPlaces + 1);
    const place = count === 0 ? end : (this.#out[mostPlaces] as number);
    return place < end ? place : -1;
  }

  /** How many were put out from index `first` to before `last`. */
  #find(from: number, end: number, letters: Letters, first: number, last: number): number {
    const { byteOffset } = this.#out;
    const [out, outEnd] = [byteOffset + 4 * first, byteOffset + 4 * last];
    return (this.#program.f(from, end, ...letters, out, outEnd) - out) / 4;
  }

  #views(): [bytes: Buffer, out: Int32Array] {
    const { buffer } = this.#program.m;
    const end = buffer.byteLength - outLength;
    return [Buffer.from(buffer, 0, end - margin), new Int32Array(buffer, end)];
  }
}

/** Three letters of a word, and how far the others are behind the first. */
export type Letters = readonly [first: number, rarest: number, last: number, step: number, gap: number];

/** Of a word in lower-case letters. */
export function lettersOf(word: string): Letters {
  const gap = word.length - 1;
  const ranks = Array.from(word, (letter) => commonFirst.indexOf(letter));
  ranks[0] = ranks[gap] = 0;
  const step = ranks.indexOf(Math.max(...ranks));
  return [word.charCodeAt(0), word.charCodeAt(step), word.charCodeAt(gap), step, gap];
}

/** As letters are met in English. */
const commonFirst = "etaoinsrhldcumfpgwybvkxjqz";
