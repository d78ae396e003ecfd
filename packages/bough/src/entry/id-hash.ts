/** Ids may be chosen by whoever writes a log, so nobody shall know which of them fall together. */
const seed = Math.floor(Math.random() * 2 ** 32);

/** An id that has just come is looked for in one index after the other. */
let last = { id: "", hash: seed | 0 };

/** A number of 32 bits for an id; the same within one process. */
export function idHash(id: string): number {
  if (id !== last.id) last = { id, hash: hashOf(id) };
  return last.hash;
}

/** Two characters at a time, which share no bits. */
function hashOf(id: string): number {
  const even = id.length & ~1;
  let hash = seed;
  for (let index = 0; index < even; index += 2) {
    hash = mixed(hash, id.charCodeAt(index) | (id.charCodeAt(index + 1) << 16));
  }
  return (even < id.length ? mixed(hash, id.charCodeAt(even)) : hash) | 0;
}

/** The `idHash` of a text that is kept in bytes. */
export function asciiHash(bytes: Uint8Array, from: number, to: number): number {
  const even = from + ((to - from) & ~1);
  let hash = seed;
  for (let index = from; index < even; index += 2) {
    hash = mixed(hash, (bytes[index] as number) | ((bytes[index + 1] as number) << 16));
  }
  return (even < to ? mixed(hash, bytes[even] as number) : hash) | 0;
}

function mixed(hash: number, characters: number): number {
  const product = Math.imul(hash ^ characters, 0x5bd1e995);
  return product ^ (product >>> 15);
}
