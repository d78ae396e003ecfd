/** Ids may be chosen by whoever writes a log, so nobody shall know which of them fall together. */
const seed = Math.floor(Math.random() * 2 ** 32);

/** A number of 32 bits for an id; the same within one process. */
export function idHash(id: string): number {
  let hash = seed;
  for (let index = 0; index < id.length; index++) hash = mixed(hash, id.charCodeAt(index));
  return hash | 0;
}

/** The `idHash` of a text that is kept in bytes. */
export function asciiHash(bytes: Uint8Array, from: number, to: number): number {
  let hash = seed;
  for (let index = from; index < to; index++) hash = mixed(hash, bytes[index] as number);
  return hash | 0;
}

function mixed(hash: number, character: number): number {
  const product = Math.imul(hash ^ character, 0x5bd1e995);
  return product ^ (product >>> 15);
}
