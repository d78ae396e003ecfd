/** Cursors mean nothing to those who carry them; what is none reads as undefined. */
export function encodedCursor(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

export function decodedCursor<T>(cursor: string | undefined): T | undefined {
  if (cursor === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    throw new TypeError(`${cursor} is no cursor`);
  }
}
