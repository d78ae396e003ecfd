/*
 * SHA-256 as FIPS 180-4 has it, for the few bytes that names are made of: `node:crypto` takes longer to be loaded than a
 * session to be opened.
 */

const rounds = 64;
const primes = firstPrimes(rounds);
const roundConstants = Int32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));

/** The digest of a text's UTF-8, in hex. */
export function sha256(text: string): string {
  const message = padded(Buffer.from(text));
  const state = Int32Array.from(initial);
  for (let block = 0; block < message.byteLength; block += 64) mix(state, message, block);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function padded(bytes: Uint8Array): DataView {
  const length = (Math.floor((bytes.length + 8) / 64) + 1) * 64;
  const padding = new Uint8Array(length);
  padding.set(bytes);
  padding[bytes.length] = 0x80;
  const view = new DataView(padding.buffer);
  view.setBigUint64(length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function mix(state: Int32Array, message: DataView, block: number): void {
  const words = schedule(message, block);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < rounds; round++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first = h + turned(e, 6, 11, 25) + choice + (roundConstants[round] as number) + (words[round] as number);
    const second = turned(a, 2, 13, 22) + majority;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] as number) + word;
}

function schedule(message: DataView, block: number): Int32Array {
  const words = new Int32Array(rounds);
  for (let index = 0; index < 16; index++) words[index] = message.getInt32(block + 4 * index);
  for (let index = 16; index < rounds; index++) {
    const near = words[index - 2] as number;
    const far = words[index - 15] as number;
    const mixed = (turned(near, 17, 19) ^ (near >>> 10)) + (turned(far, 7, 18) ^ (far >>> 3));
    words[index] = mixed + (words[index - 7] as number) + (words[index - 16] as number);
  }
  return words;
}

/** The word turned to the right by each of `counts` bits, combined. */
function turned(word: number, ...counts: readonly number[]): number {
  return counts.reduce((result, count) => result ^ ((word >>> count) | (word << (32 - count))), 0);
}

/** The first 32 bits behind the point. */
function fractionOf(value: number): number {
  return Math.floor((value % 1) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}
