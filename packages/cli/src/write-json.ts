import { jsonText } from "bough/format";
import type { Output } from "./output.ts";

/** What a terminal might take for a control although JSON lets it pass: these only occur inside strings. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** To be read; on one line where it is nested too deep for that, or has numbers that JavaScript can't hold. */
export function indentedJson(value: unknown): string {
  const line = jsonText(value);
  try {
    return JSON.stringify(value) === line ? JSON.stringify(value, undefined, 2) : line;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return line;
  }
}

export function safeJson(value: unknown): string {
  return withoutControls(jsonText(value));
}

/** JSON that a terminal may show; it means the same. */
export function withoutControls(json: string): string {
  return json.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** An object with one field a line; of a list, one element a line. */
export async function writeJson(output: Output, value: Readonly<Record<string, unknown>>): Promise<void> {
  await output.writeAll(objectPieces(value));
}

/** One element a line. */
export async function writeJsonList(output: Output, values: readonly unknown[]): Promise<void> {
  await output.writeAll(listPieces(values, ""));
  await output.line();
}

function* objectPieces(value: Readonly<Record<string, unknown>>): Generator<string> {
  let before = "{\n";
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    yield `${before}  ${safeJson(name)}: `;
    if (Array.isArray(field)) yield* listPieces(field, "  ");
    else yield safeJson(field);
    before = ",\n";
  }
  yield before === "{\n" ? "{}\n" : "\n}\n";
}

function* listPieces(values: readonly unknown[], indent: string): Generator<string> {
  let before = "[\n";
  for (const value of values) {
    yield `${before}${indent}  ${safeJson(value)}`;
    before = ",\n";
  }
  yield values.length === 0 ? "[]" : `\n${indent}]`;
}
