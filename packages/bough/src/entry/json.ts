import { SessionError } from "../errors.ts";
import { areExactNumbersMet, exactNumber, hasExactNumbers } from "./exact-numbers.ts";
import { frozen } from "./frozen.ts";
import { jsonValue } from "./json-value.ts";

/** A JSON object. Its keys are data: `__proto__` and `constructor` are own keys like any other. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Strict JSON, on one line: what is read back equals what was given, but for members that are `undefined`. Everything
 * JSON would change, drop or choke on is refused with `invalid_entry` and its place, such as `data.rows[1].count`.
 * Numbers that `jsonValue` could only come near to are written as they stood there.
 */
export function toJson(value: unknown): string {
  return (isStrict(value, shallow) ? shallowJson(value) : undefined) ?? walkedJson(value);
}

/** Undefined where it would get too long, or is nested deeper than the engine writes. */
function shallowJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function walkedJson(value: unknown): string {
  try {
    return new StrictWalk(value).text();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw refused("", "too long", cause);
  }
}

/** A frozen copy that shares nothing with `value`: what reading its strict JSON gives. Throws as `toJson` does. */
export function jsonCopy<T>(value: T): T {
  const copy = frozenCopy(value, shallow);
  return (copy === unfit ? frozen(jsonValue(toJson(value))) : copy) as T;
}

/** Strict JSON as `toJson` writes it, and a frozen copy as it is read back, in one pass over `value`. */
export function toJsonAndCopy<T>(value: T): { readonly json: string; readonly copy: T } {
  const copy = frozenCopy(value, shallow);
  if (copy !== unfit) return { json: shallowJson(copy) ?? walkedJson(copy), copy: copy as T };
  const json = toJson(value);
  return { json, copy: frozen(jsonValue(json) as T) };
}

/** As `toJson`, of what is strict JSON anyway, such as what `jsonCopy` made or what was stored. */
export function jsonText(value: unknown): string {
  return (holdsExactNumbers(value) ? undefined : shallowJson(value)) ?? walkedJson(value);
}

function holdsExactNumbers(value: unknown): boolean {
  if (!areExactNumbersMet() || isStrict(value, shallow)) return false;
  const seen = new Set([value]);
  for (const holder of seen) {
    if (typeof holder !== "object" || holder === null || !isPlain(holder)) continue;
    if (hasExactNumbers(holder)) return true;
    for (const member of Object.values(holder)) seen.add(member);
  }
  return false;
}

/** Deeper values, and those that contain themselves, are left to the walk that needs no stack and knows places. */
const shallow = 64;
const unfit = Symbol("not to be copied by recursion");

/** Whether `value` is strict JSON, as far as that shows without going deep. */
function isStrict(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      if (value === null) return true;
      if (depth === 0 || !isOrdinary(value)) return false;
      return Array.isArray(value) ? areStrict(value, depth - 1) : isStrictObject(value as JsonObject, depth - 1);
    default:
      return false;
  }
}

function areStrict(members: readonly unknown[], depth: number): boolean {
  for (let at = 0; at < members.length; at++) if (!isStrict(members[at], depth)) return false;
  return true;
}

function isStrictObject(holder: JsonObject, depth: number): boolean {
  for (const key in holder) {
    const member = holder[key];
    if (member !== undefined && !isStrict(member, depth)) return false;
  }
  return true;
}

function frozenCopy(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // JSON knows no negative zero.
      return Number.isFinite(value) ? value + 0 : unfit;
    case "object":
      if (value === null) return null;
      if (depth === 0 || !isOrdinary(value)) return unfit;
      return Array.isArray(value) ? frozenArray(value, depth - 1) : frozenObject(value as JsonObject, depth - 1);
    default:
      return unfit;
  }
}

function frozenArray(members: readonly unknown[], depth: number): unknown {
  const copies: unknown[] = [];
  for (let at = 0; at < members.length; at++) {
    const copy = frozenCopy(members[at], depth);
    if (copy === unfit) return unfit;
    copies.push(copy);
  }
  return Object.freeze(copies);
}

function frozenObject(holder: JsonObject, depth: number): unknown {
  const copies: Record<string, unknown> = { ...holder };
  for (const key of Object.keys(copies)) {
    const member = copies[key];
    if (typeof member === "string") continue;
    if (member === undefined) return frozenObject(withoutUndefined(copies), depth);
    const copy = frozenCopy(member, depth);
    if (copy === unfit) return unfit;
    if (!Object.is(copy, member)) copies[key] = copy;
  }
  return Object.freeze(copies);
}

function withoutUndefined(holder: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(holder).filter(([, member]) => member !== undefined));
}

interface Frame {
  readonly holder: object;
  /** Of an object; an array is walked by index. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  at: number;
  isEmpty: boolean;
}

/** Writes what is in a value without recursion, knowing where it is. */
class StrictWalk {
  readonly #root: unknown;
  readonly #frames: Frame[] = [];
  /** What encloses the present place; a value met twice side by side is no cycle. */
  readonly #enclosing = new Set<object>();
  readonly #parts: string[] = [];

  constructor(root: unknown) {
    this.#root = root;
  }

  text(): string {
    this.#write(this.#root);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (++frame.at === frame.length) this.#leave(frame);
      else this.#member(frame);
    }
    return this.#parts.join("");
  }

  #member(frame: Frame): void {
    const value = memberAt(frame, frame.at);
    if (value === undefined && frame.keys !== undefined) return;
    if (!frame.isEmpty) this.#parts.push(",");
    frame.isEmpty = false;
    if (frame.keys !== undefined) this.#parts.push(`${JSON.stringify(frame.keys[frame.at])}:`);
    const exact = exactNumber(frame.holder, frame.keys?.[frame.at] ?? frame.at, value);
    if (exact === undefined) this.#write(value);
    else this.#parts.push(exact);
  }

  #write(value: unknown): void {
    if (typeof value === "object" && value !== null) this.#enter(value);
    else {
      this.#check(value);
      this.#parts.push(JSON.stringify(value));
    }
  }

  #enter(holder: object): void {
    if (this.#enclosing.has(holder)) throw this.#refused("contains itself");
    if (!isPlain(holder)) throw this.#refused("neither a plain object nor an array");
    const keys = Array.isArray(holder) ? undefined : Object.keys(holder);
    const length = keys?.length ?? (holder as unknown[]).length;
    this.#frames.push({ holder, keys, length, at: -1, isEmpty: true });
    this.#enclosing.add(holder);
    this.#parts.push(keys === undefined ? "[" : "{");
  }

  #leave(frame: Frame): void {
    this.#frames.pop();
    this.#enclosing.delete(frame.holder);
    this.#parts.push(frame.keys === undefined ? "]" : "}");
  }

  #check(value: unknown): void {
    if (value === undefined) throw this.#refused("undefined has no place here");
    if (typeof value === "number" && !Number.isFinite(value)) throw this.#refused("not a finite number");
    if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
      throw this.#refused(`a ${typeof value} is no JSON`);
    }
  }

  #refused(reason: string): SessionError {
    return refused(pathOf(this.#frames), reason);
  }
}

function memberAt({ holder, keys }: Frame, at: number): unknown {
  return keys === undefined ? (holder as unknown[])[at] : (holder as JsonObject)[keys[at] as string];
}

/** Plain, and without numbers that only the walk can write. */
function isOrdinary(value: object): boolean {
  return isPlain(value) && !hasExactNumbers(value);
}

/** Plain in any realm: nothing is inherited but what every object has. */
function isPlain(value: object): boolean {
  if (typeof (value as { readonly toJSON?: unknown }).toJSON === "function") return false;
  if (Array.isArray(value)) return true;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function pathOf(frames: readonly Frame[]): string {
  return frames.reduce((path, { keys, at }) => {
    if (keys === undefined) return `${path}[${at}]`;
    return path === "" ? `${keys[at]}` : `${path}.${keys[at]}`;
  }, "");
}

function refused(field: string, reason: string, cause?: unknown): SessionError<"invalid_entry"> {
  const message = `${field === "" ? "The value" : field} can't be stored: ${reason}.`;
  return new SessionError("invalid_entry", message, { field, reason }, cause === undefined ? {} : { cause });
}
