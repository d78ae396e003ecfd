import { isNumberText } from "./number-text.ts";

/*
 * JSON has numbers that JavaScript doesn't: 12345678901234567890, 1e999. Whoever reads one gets the nearest there is, and
 * what stood in the text stays with the object or list that holds it, under a symbol. So a copy made by spreading takes it
 * along, whoever freezes, lists names or writes JSON goes on as if it weren't there, and objects that hold no such number
 * are as they always were.
 */

const texts = Symbol("numbers");

/** Whether any was ever met. Looking for the symbol takes a tenth of the time that writing a small object does. */
let isAny = false;

interface Holder {
  readonly [texts]?: NumberTexts;
}

/** By the name or index of the member. */
type NumberTexts = Readonly<Record<string, string>>;

/** False as long as no object has a number that JavaScript can't hold. */
export function areExactNumbersMet(): boolean {
  return isAny;
}

/** Whether `holder` has, or had, numbers that JavaScript can't hold. What is in its members is not looked at. */
export function hasExactNumbers(holder: object): boolean {
  return isAny && (holder as Holder)[texts] !== undefined;
}

/** How the number `value` was spelt under `name`; undefined where it is exactly what it is, or was put there since. */
export function exactNumber(holder: object, name: string | number, value: unknown): string | undefined {
  const text = (holder as Holder)[texts]?.[name];
  return text !== undefined && isNumberText(text) && Object.is(Number(text), value) ? text : undefined;
}

/** Of all members that are not what JavaScript makes of them; undefined where there is none. */
export function exactNumbersOf(holder: object): NumberTexts | undefined {
  return (holder as Holder)[texts];
}

/** To be called once, by who has just read `holder`. */
export function keepExactNumbers(holder: object, numbers: ReadonlyMap<string, string>): void {
  isAny = true;
  const named = Object.assign(Object.create(null), Object.fromEntries(numbers)) as NumberTexts;
  Object.defineProperty(holder, texts, { value: Object.freeze(named), enumerable: true });
}

/** Gives `copy`, made of members of `source`, what `source` knows of them; `nameOf` tells what they are called there. */
export function withExactNumbers<T extends object>(source: object, copy: T, nameOf = (name: string) => name): T {
  const known = exactNumbersOf(source);
  if (known === undefined) return copy;
  keepExactNumbers(copy, new Map(Object.entries(known).map(([name, text]) => [nameOf(name), text])));
  return copy;
}
