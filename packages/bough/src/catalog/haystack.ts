/*
 * Bytes in which three letters at distances from each other are found sixteen places at a time: byte after byte, a search
 * in JavaScript takes several times as long as reading the file. What is compared is compared in lower case.
 *
 *   (func (export "f") (param $at i32) (param $end i32) (param $first i32) (param $rarest i32) (param $last i32)
 *       (param $step i32) (param $gap i32) (result i32)
 *     (local $firsts v128) (local $rarests v128) (local $lasts v128) (local $case v128) (local $found i32)
 *     (local.set $firsts (i8x16.splat (local.get $first)))
 *     (local.set $rarests (i8x16.splat (local.get $rarest)))
 *     (local.set $lasts (i8x16.splat (local.get $last)))
 *     (local.set $case (i8x16.splat (i32.const 0x20)))
 *     (loop $next
 *       (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
 *       (i8x16.eq (v128.or (v128.load (local.get $at)) (local.get $case)) (local.get $firsts))
 *       (i8x16.eq (v128.or (v128.load (i32.add (local.get $at) (local.get $step))) (local.get $case)) (local.get $rarests))
 *       (i8x16.eq (v128.or (v128.load (i32.add (local.get $at) (local.get $gap))) (local.get $case)) (local.get $lasts))
 *       (if (local.tee $found (i8x16.bitmask (v128.and (v128.and))))
 *         (then (return (i32.add (local.get $at) (i32.ctz (local.get $found))))))
 *       (local.set $at (i32.add (local.get $at) (i32.const 16)))
 *       (br $next)) unreachable)
 */
const program = [
  "0061736d01000000 010c0160077f7f7f7f7f7f7f017f 03020100 0503010002 070902016d020001660000 0a7a0178 02047b017f",
  "2002fd0f2107 2003fd0f2108 2004fd0f2109 4120fd0f210a 0340 200020014f0440417f0f0b",
  "2000fd000000200afd502007fd23 200020056afd000000200afd502008fd23 200020066afd000000200afd502009fd23",
  "fd4efd4e fd64220b 04402000200b686a0f0b 200041106a21000c000b000b",
].join("");

/** What Node's types leave to those of browsers. */
interface WebAssemblyHere {
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Program };
}

interface Program {
  readonly m: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly f: (...place: [at: number, end: number, ...letters: number[]]) => number;
}

let compiled: object | undefined;

/** Behind the bytes there is room for what is looked at in one step. */
const margin = 256;

/** The longest distance. */
export const longestGap = margin - 16;

const page = 64 << 10;

/** Memory to search in: `bytes` are the caller's to fill. */
export class Haystack {
  readonly #program: Program;
  bytes: Buffer;

  constructor() {
    const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyHere }).WebAssembly;
    compiled ??= new Module(Buffer.from(program.replaceAll(" ", ""), "hex"));
    this.#program = new Instance(compiled).exports;
    this.bytes = this.#view();
  }

  /** Makes `bytes` half as long again, with what is in them. */
  grow(): void {
    this.#program.m.grow(Math.ceil(this.bytes.length / 2 / page));
    this.bytes = this.#view();
  }

  /** The first place from `from` to before `end` where these stand so far apart, or -1. */
  find(from: number, end: number, { first, rarest, last, step, gap }: Letters): number {
    return this.#program.f(from, end, first, rarest, last, step, gap);
  }

  #view(): Buffer {
    const { buffer } = this.#program.m;
    return Buffer.from(buffer, 0, buffer.byteLength - margin);
  }
}

/** Three letters of a word, in lower case; `step` and `gap` are the distances of the others from the first. */
export interface Letters {
  readonly first: number;
  readonly rarest: number;
  readonly last: number;
  readonly step: number;
  readonly gap: number;
}

/** Of a word in lower-case letters. */
export function lettersOf(word: string): Letters {
  const gap = word.length - 1;
  const ranks = Array.from(word, (letter) => commonFirst.indexOf(letter));
  ranks[0] = ranks[gap] = 0;
  const step = ranks.indexOf(Math.max(...ranks));
  const [first, rarest, last] = [0, step, gap].map((at) => word.charCodeAt(at)) as [number, number, number];
  return { first, rarest, last, step, gap };
}

/** As letters are met in English. */
const commonFirst = "etaoinsrhldcumfpgwybvkxjqz";
