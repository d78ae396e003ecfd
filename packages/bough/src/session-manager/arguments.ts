import type { Usage } from "../entry/usage.ts";
import { SessionError } from "../errors.ts";

/** Arguments that pi and oh-my-pi put in one place and mean differently. */

export interface NamedModel {
  readonly provider: string;
  readonly modelId: string;
  readonly role?: string;
}

/** `(provider, modelId)`, or `("provider/modelId", role?)`: no provider has a slash in its name. */
export function modelNamed(first: string, second: string | undefined): NamedModel {
  const slash = first.indexOf("/");
  if (slash === -1 && second !== undefined) return { provider: first, modelId: second };
  if (slash === -1) {
    const reason = `${first} names no model; expected provider/modelId`;
    throw new SessionError("invalid_entry", reason, { field: "model", reason });
  }
  const model = { provider: first.slice(0, slash), modelId: first.slice(slash + 1) };
  return second === undefined ? model : { ...model, role: second };
}

/** A usage by its token counts; anything else is data to be preserved. */
export function usageOrData(value: unknown): { readonly usage?: Usage; readonly preserveData?: unknown } {
  if (value === undefined) return {};
  return isUsage(value) ? { usage: value } : { preserveData: value };
}

function isUsage(value: unknown): value is Usage {
  if (typeof value !== "object" || value === null) return false;
  const { input, output, cost } = value as Partial<Usage>;
  return typeof input === "number" && typeof output === "number" && typeof cost === "object";
}
