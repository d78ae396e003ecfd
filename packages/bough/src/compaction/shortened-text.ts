/**
 * The beginning and the end of a long text, with a count of what is missing between; the whole text if it has at most
 * `limit` UTF-16 units. Never cuts a surrogate pair.
 */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = wholeUntil(text, Math.ceil(limit * 0.75));
  const tail = wholeFrom(text, text.length - Math.floor(limit * 0.25));
  return `${text.slice(0, head)}\n[… ${tail - head} more characters …]\n${text.slice(tail)}`;
}

/** The beginning of a text, ending in `…` where something is missing. Never cuts a surrogate pair. */
export function beginning(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, wholeUntil(text, limit - 1)).trimEnd()}…`;
}

function wholeUntil(text: string, end: number): number {
  return isInsidePair(text, end) ? end - 1 : end;
}

function wholeFrom(text: string, start: number): number {
  return isInsidePair(text, start) ? start + 1 : start;
}

function isInsidePair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
