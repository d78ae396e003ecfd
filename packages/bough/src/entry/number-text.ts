/** How JSON spells a number. */
const spelling = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Whether `text` spells a number as JSON does. */
export function isNumberText(text: string): boolean {
  return spelling.test(text);
}

/** Whether the number that is spelt so is still the same when JavaScript has read it and written it anew. */
export function isHeldNumber(text: string): boolean {
  const written = String(Number(text));
  return written === text || decimalOf(written) === decimalOf(text);
}

/** The same for all spellings of one number; minus zero is zero. */
function decimalOf(text: string): string | undefined {
  const [, sign, whole, fraction = "", exponent = "0"] = spelling.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = whole + fraction;
  const start = digits.search(/[1-9]/);
  if (start === -1) return "0";
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return `${sign}${digits.slice(start, end)}e${Number(exponent) + digits.length - end - fraction.length}`;
}
