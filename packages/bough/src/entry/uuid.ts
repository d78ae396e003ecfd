/** What ids are made from. */
export interface UuidSource {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** That many random bytes or more, read before the next call. */
  readonly random: (length: number) => Uint8Array;
}

/**
 * A generator of version 7 UUIDs (RFC 9562): sorted as they were made, also within a millisecond and when the clock goes
 * back, and unique among any number of generators.
 */
export function uuidV7(source: Partial<UuidSource> = {}): () => string {
  const { now = Date.now, random = pooledRandom() } = source;
  let time = -1;
  let tail: Tail | undefined;
  /** All but the last eight digits, which are all that differs within most milliseconds. */
  let front = "";
  return () => {
    const present = Math.max(0, Math.floor(now()));
    const following = tail === undefined || present > time ? undefined : stepped(tail, random);
    if (following === undefined) time = Math.max(present, time + 1);
    const next = following ?? randomTail(random);
    if (following === undefined || next.middle !== tail?.middle) front = frontOf(time, next);
    tail = next;
    return front + hex8(next.low);
  };
}

/** The 74 bits after the time, as the fields of the format divide them: 12, 30 and 32. */
interface Tail {
  readonly high: number;
  readonly middle: number;
  readonly low: number;
}

function randomTail(random: UuidSource["random"]): Tail {
  const bytes = random(10);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { high: view.getUint16(0) & 0xfff, middle: view.getUint32(2) & 0x3fffffff, low: view.getUint32(6) };
}

/** By a step of random size, so that two processes in one millisecond don't walk into each other's ids. */
function stepped({ high, middle, low }: Tail, random: UuidSource["random"]): Tail | undefined {
  const bytes = random(3);
  const sum = low + 1 + ((bytes[0] as number) | ((bytes[1] as number) << 8) | ((bytes[2] as number) << 16));
  if (sum <= 0xffffffff) return { high, middle, low: sum };
  const rest = sum - 2 ** 32;
  if (middle < 0x3fffffff) return { high, middle: middle + 1, low: rest };
  return high < 0xfff ? { high: high + 1, middle: 0, low: rest } : undefined;
}

function frontOf(time: number, { high, middle }: Tail): string {
  const early = Math.floor(time / 2 ** 16);
  return `${hex8(early)}-${hex4(time)}-${hex4(0x7000 | high)}-${hex4(0x8000 | (middle >>> 16))}-${hex4(middle)}`;
}

function hex8(value: number): string {
  return hex4(value >>> 16) + hex4(value);
}

/** Of the last sixteen bits. By table, since numbers of 32 bits and more take microseconds to print in another base. */
function hex4(value: number): string {
  return (hexBytes[(value >>> 8) & 0xff] as string) + (hexBytes[value & 0xff] as string);
}

const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Asks `fill` for many bytes at once, since each call costs more than an id, and hands them out in one small array. */
export function pooledRandom(fill: (bytes: Uint8Array<ArrayBuffer>) => unknown = fillRandom): UuidSource["random"] {
  const pool = new Uint8Array(4096);
  const handedOut = new Uint8Array(16);
  let used = pool.length;
  return (length) => {
    if (used + length > pool.length) {
      fill(pool);
      used = 0;
    }
    for (let at = 0; at < length; at++) handedOut[at] = pool[used + at] as number;
    used += length;
    return handedOut;
  };
}

function fillRandom(bytes: Uint8Array<ArrayBuffer>): void {
  globalThis.crypto.getRandomValues(bytes);
}
