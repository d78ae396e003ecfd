/* What bytes of a JSON line stand for inside its strings, as far as they tell without the rest of the line. */

export const newline = 0x0a;
export const blank = 0x20;
const backslash = 0x5c;
const slash = 0x2f;

/** By byte; the rest as it is. */
export const lower = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte));

/** Of a character of a query: whether no escape and nothing beyond ASCII is needed to write it. */
export function isCertain(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || code === blank;
}

export function beforeLetter(bytes: Buffer, place: number, letter: number): number {
  return lower[bytes[place] ?? newline] === letter ? place - 1 : place;
}

export function behindLetter(bytes: Buffer, place: number, letter: number): number {
  return lower[bytes[place] ?? newline] === letter ? place + 1 : place;
}

/** A slash may part what is said apart, too: a provider from its model. */
function isBlank(byte: number | undefined): boolean {
  return byte === blank || byte === slash;
}

export function beforeBlanks(bytes: Buffer, place: number): number {
  let at = place;
  for (;;) {
    if (isBlank(bytes[at])) at--;
    else if (isBlankEscape(bytes, at - 1)) at -= 2;
    else return at;
  }
}

export function behindBlanks(bytes: Buffer, place: number): number {
  let at = place;
  for (;;) {
    if (isBlank(bytes[at])) at++;
    else if (isBlankEscape(bytes, at)) at += 2;
    else return at;
  }
}

/** Stands for itself in the middle of a string, and can be no end of one. */
function isPlain(byte: number): boolean {
  return byte >= blank && byte < 0x7f && byte !== 0x22 && byte !== backslash;
}

/** Whether a line break or a tab begins at `place`, and not the end of an escaped backslash. */
function isBlankEscape(bytes: Buffer, place: number): boolean {
  if (bytes[place] !== backslash || bytes[place - 1] === backslash) return false;
  const letter = bytes[place + 1];
  return letter === 0x6e || letter === 0x74 || letter === 0x72;
}

/** Whether a string of the line begins or ends here. */
export function isBound(bytes: Buffer, place: number): boolean {
  return bytes[place] === 0x22 && !isQuote(bytes, place);
}

/** Whether what begins at `place` may be another character than the byte there. */
export function mayBeginOther(bytes: Buffer, place: number): boolean {
  return !isPlain(bytes[place] ?? newline) && !isQuote(bytes, place + 1);
}

/** Whether what ends at `place` may be another character than the byte there. */
export function mayEndOther(bytes: Buffer, place: number): boolean {
  if (isQuote(bytes, place)) return false;
  return !isPlain(bytes[place] ?? newline) || bytes[place - 1] === backslash || isInEscape(bytes, place);
}

/** Whether this may be one of the digits of an escape. */
function isInEscape(bytes: Buffer, place: number): boolean {
  for (let at = place - 2; at >= place - 5; at--) if (bytes[at] === backslash) return bytes[at + 1] === 0x75;
  return false;
}

/** Whether a quote is said here, and ends nothing. */
function isQuote(bytes: Buffer, place: number): boolean {
  return bytes[place] === 0x22 && bytes[place - 1] === backslash && bytes[place - 2] !== backslash;
}
