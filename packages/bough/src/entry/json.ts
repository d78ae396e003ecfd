/** A JSON object. Its keys are data: `__proto__` and `constructor` are own keys like any other. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
