/** What ids are made from. */
export interface UuidSource {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** That many random bytes. */
  readonly random: (length: number) => Uint8Array;
}

const tailBits = 74n;
const lowBits = 62n;

/**
 * A generator of version 7 UUIDs (RFC 9562): sorted as they were made, also within a millisecond and when the clock goes
 * back, and unique among any number of generators.
 */
export function uuidV7(source: Partial<UuidSource> = {}): () => string {
  const { now = Date.now, random = randomBytes } = source;
  let time = -1;
  let tail = 0n;
  return () => {
    const present = Math.max(0, Math.floor(now()));
    if (present > time) {
      time = present;
      tail = integer(random(10)) & mask(tailBits);
    } else {
      // Steps of random size, so that two processes in one millisecond don't walk into each other's ids.
      tail += 1n + integer(random(4));
    }
    if (tail > mask(tailBits)) {
      time += 1;
      tail = integer(random(10)) & mask(tailBits);
    }
    return written(time, tail);
  };
}

function written(time: number, tail: bigint): string {
  const head = time.toString(16).padStart(12, "0");
  const high = (0x7000n | (tail >> lowBits)).toString(16);
  const low = ((0b10n << lowBits) | (tail & mask(lowBits))).toString(16);
  return `${head.slice(0, 8)}-${head.slice(8)}-${high}-${low.slice(0, 4)}-${low.slice(4)}`;
}

function mask(bits: bigint): bigint {
  return (1n << bits) - 1n;
}

function integer(bytes: Uint8Array): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function randomBytes(length: number): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}
