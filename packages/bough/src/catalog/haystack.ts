/*
 * Bytes in which two letters at a distance from each other are found sixteen places at a time: byte after byte, a search in
 * JavaScript takes several times as long as reading the file. What is compared is compared in lower case.
 *
 *   (func (export "f") (param $at i32) (param $end i32) (param $first i32) (param $last i32) (param $gap i32) (result i32)
 *     (local $firsts v128) (local $lasts v128) (local $case v128) (local $found i32)
 *     (local.set $firsts (i8x16.splat (local.get $first)))
 *     (local.set $lasts (i8x16.splat (local.get $last)))
 *     (local.set $case (i8x16.splat (i32.const 0x20)))
 *     (loop $next
 *       (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
 *       (if (local.tee $found (i8x16.bitmask (v128.and
 *             (i8x16.eq (v128.or (v128.load (local.get $at)) (local.get $case)) (local.get $firsts))
 *             (i8x16.eq (v128.or (v128.load (i32.add (local.get $at) (local.get $gap))) (local.get $case)) (local.get $lasts)))))
 *         (then (return (i32.add (local.get $at) (i32.ctz (local.get $found))))))
 *       (local.set $at (i32.add (local.get $at) (i32.const 16)))
 *       (br $next)) unreachable)
 */
const program = [
  "0061736d01000000 010a0160057f7f7f7f7f017f 03020100 0503010002 070902016d020001660000 0a61015f 02037b017f",
  "2002fd0f2105 2003fd0f2106 4120fd0f2107 0340 200020014f0440417f0f0b 2000fd0000002007fd502005fd23",
  "200020046afd0000002007fd502006fd23 fd4efd642208 044020002008686a0f0b 200041106a21000c000b000b",
].join("");

/** What Node's types leave to those of browsers. */
interface WebAssemblyHere {
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Program };
}

interface Program {
  readonly m: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly f: (at: number, end: number, first: number, last: number, gap: number) => number;
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

  /** The first place from `from` to before `end` where these lower-case letters stand so far apart, or -1. */
  find(from: number, end: number, { first, last, gap }: LetterPair): number {
    return this.#program.f(from, end, first, last, gap);
  }

  #view(): Buffer {
    const { buffer } = this.#program.m;
    return Buffer.from(buffer, 0, buffer.byteLength - margin);
  }
}

export interface LetterPair {
  readonly first: number;
  readonly last: number;
  readonly gap: number;
}
