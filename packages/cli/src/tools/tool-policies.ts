import { UsageError } from "../usage-error.ts";
import { type ToolPolicy, toolPolicies } from "./tool-gate.ts";

/** What changes something is asked for first. */
const usualPolicies: Readonly<Record<string, ToolPolicy>> = {
  read: "allow",
  write: "ask",
  edit: "ask",
  bash: "ask",
};

/** Names of tools with commas between them, or `all`. */
export type PolicyOptions = { readonly [P in ToolPolicy]?: string };

/** The usual policies but for what was said; of several that are said of one tool the strictest. Throws a `UsageError`. */
export function policiesOf(options: PolicyOptions): Readonly<Record<string, ToolPolicy>> {
  const said = toolPolicies.flatMap((policy) => namesIn(options[policy]).map((name) => [name, policy] as const));
  return { ...usualPolicies, ...Object.fromEntries(said) };
}

function namesIn(list = ""): readonly string[] {
  const names = list.split(",").flatMap((part) => part.trim() || []);
  const known = Object.keys(usualPolicies);
  const unknown = names.find((name) => name !== "all" && !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`there is no tool ${unknown}`, `There are ${known.join(", ")}, or all.`);
  return names.includes("all") ? known : names;
}
