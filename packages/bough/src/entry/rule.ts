import { isJsonObject, type JsonObject } from "./json.ts";

/** What is wrong with a value, and where in it; an empty field is the value itself. */
export interface Problem {
  readonly field: string;
  readonly reason: string;
}

/** Undefined where nothing is wrong. Where something is, each rule around puts its own part before the field. */
export type Rule = (value: unknown) => Problem | undefined;

export const anything: Rule = (value) => (value === undefined ? problem("is missing") : undefined);
export const text: Rule = (value) => (typeof value === "string" ? undefined : unlike("a string", value));
export const name: Rule = (value) =>
  typeof value === "string" && value !== "" ? undefined : unlike("a string that is not empty", value);
export const flag: Rule = (value) => (typeof value === "boolean" ? undefined : unlike("true or false", value));
export const number: Rule = (value) => (Number.isFinite(value) ? undefined : unlike("a finite number", value));
export const count: Rule = (value) =>
  Number.isFinite(value) && (value as number) >= 0 ? undefined : unlike("a number from zero", value);
export const nothing: Rule = (value) => (value === null ? undefined : unlike("null", value));

export function kind(expected: string, holds: (value: unknown) => boolean): Rule {
  return (value) => (holds(value) ? undefined : unlike(expected, value));
}

export function optional(rule: Rule): Rule {
  return (value) => (value === undefined ? undefined : rule(value));
}

export function either(first: Rule, second: Rule, isFirst: (value: unknown) => boolean): Rule {
  return (value) => (isFirst(value) ? first(value) : second(value));
}

export function orNull(rule: Rule): Rule {
  return either(nothing, rule, (value) => value === null);
}

export function textOr(rule: Rule): Rule {
  return either(text, rule, (value) => typeof value === "string");
}

export function list(item: Rule): Rule {
  return (value) => {
    if (!Array.isArray(value)) return problem("expected an array");
    for (let index = 0; index < value.length; index++) {
      const found = item(value[index]);
      if (found !== undefined) return within(`[${index}]`, found);
    }
    return undefined;
  };
}

/** An object whose members obey the rules; others it has are nobody's business. */
export function record(members: Readonly<Record<string, Rule>>): Rule {
  const names = Object.keys(members);
  const rules = Object.values(members);
  return (value) => {
    if (!isJsonObject(value)) return problem("expected an object");
    for (let at = 0; at < names.length; at++) {
      const member = names[at] as string;
      const found = (rules[at] as Rule)(own(value, member));
      if (found !== undefined) return within(member, found);
    }
    return undefined;
  };
}

/** An object whose every member obeys `rule`. */
export function mapOf(rule: Rule): Rule {
  return (value) => {
    if (!isJsonObject(value)) return problem("expected an object");
    for (const [member, held] of Object.entries(value)) {
      const found = rule(held);
      if (found !== undefined) return within(member, found);
    }
    return undefined;
  };
}

/** An object of one of several kinds, told by the member `tag`. */
export function oneOf(tag: string, rules: Readonly<Record<string, Rule>>): Rule {
  const allowed = Object.keys(rules).join(", ");
  return (value) => {
    if (!isJsonObject(value)) return problem("expected an object");
    const found = own(value, tag);
    const rule = typeof found === "string" && Object.hasOwn(rules, found) ? rules[found] : undefined;
    return rule === undefined ? within(tag, problem(`allowed are ${allowed}`)) : rule(value);
  };
}

function unlike(expected: string, value: unknown): Problem {
  return problem(value === undefined ? `is missing; expected ${expected}` : `expected ${expected}`);
}

function problem(reason: string): Problem {
  return { field: "", reason };
}

function within(part: string, { field, reason }: Problem): Problem {
  const rest = field === "" || field.startsWith("[") ? field : `.${field}`;
  return { field: part + rest, reason };
}

/** As JSON has it: what is inherited or can't be enumerated is not there. */
function own(value: JsonObject, member: string): unknown {
  return isEnumerable.call(value, member) ? value[member] : undefined;
}

const { propertyIsEnumerable: isEnumerable } = Object.prototype;
