/** More is not held on to. */
const most = 1 << 20;

let kept = Buffer.alloc(0);

/**
 * Room for bytes that are dealt with before anything else is read: it is the same for everybody, since memory that is
 * touched for the first time costs more than reading a file into it.
 */
export function reusedBytes(size: number): Buffer {
  if (size > most) return Buffer.allocUnsafeSlow(size);
  if (kept.length < size) kept = Buffer.allocUnsafeSlow(size);
  return kept.subarray(0, size);
}
