/** Ids may be chosen by whoever writes a log, so nobody shall know which of them fall together. */
const seed = Math.floor(Math.random() * 2 ** 32);

/** A number of 32 bits for a part of a text, by default for all of it; the same within one process. */
export function idHash(text: string, from = 0, to = text.length): number {
  let hash = seed;
  for (let index = from; index < to; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash | 0;
}
