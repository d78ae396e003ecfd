import { isJsonObject, type JsonObject } from "./json.ts";

/** What is wrong with a value, and where. */
export interface Problem {
  readonly field: string;
  readonly reason: string;
}

/** Looks at a value at `field`; undefined where nothing is wrong. Only what is wrong costs the making of a path. */
export type Rule = (value: unknown, field: () => string) => Problem | undefined;

export const anything: Rule = (value, field) => (value === undefined ? problem(field, "is missing") : undefined);
export const text = kind("a string", (value) => typeof value === "string");
export const name = kind("a string that is not empty", (value) => typeof value === "string" && value !== "");
export const flag = kind("true or false", (value) => typeof value === "boolean");
export const number = kind("a finite number", Number.isFinite);
export const count = kind("a number from zero", (value) => Number.isFinite(value) && (value as number) >= 0);
export const nothing = kind("null", (value) => value === null);

export function kind(expected: string, holds: (value: unknown) => boolean): Rule {
  return (value, field) => {
    if (holds(value)) return undefined;
    return problem(field, value === undefined ? `is missing; expected ${expected}` : `expected ${expected}`);
  };
}

export function optional(rule: Rule): Rule {
  return (value, field) => (value === undefined ? undefined : rule(value, field));
}

export function either(first: Rule, second: Rule, isFirst: (value: unknown) => boolean): Rule {
  return (value, field) => (isFirst(value) ? first(value, field) : second(value, field));
}

export function orNull(rule: Rule): Rule {
  return either(nothing, rule, (value) => value === null);
}

export function textOr(rule: Rule): Rule {
  return either(text, rule, (value) => typeof value === "string");
}

export function list(item: Rule): Rule {
  return (value, field) => {
    if (!Array.isArray(value)) return problem(field, "expected an array");
    for (const [index, member] of value.entries()) {
      const found = item(member, () => `${field()}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** An object whose members obey the rules; others it has are nobody's business. */
export function record(members: Readonly<Record<string, Rule>>): Rule {
  const rules = Object.entries(members);
  return (value, field) => {
    if (!isJsonObject(value)) return problem(field, "expected an object");
    for (const [member, rule] of rules) {
      const found = rule(own(value, member), () => memberOf(field(), member));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** An object whose every member obeys `rule`. */
export function mapOf(rule: Rule): Rule {
  return (value, field) => {
    if (!isJsonObject(value)) return problem(field, "expected an object");
    for (const [member, held] of Object.entries(value)) {
      const found = rule(held, () => memberOf(field(), member));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** An object of one of several kinds, told by the member `tag`. */
export function oneOf(tag: string, rules: Readonly<Record<string, Rule>>): Rule {
  const allowed = Object.keys(rules).join(", ");
  return (value, field) => {
    if (!isJsonObject(value)) return problem(field, "expected an object");
    const found = own(value, tag);
    const rule = typeof found === "string" && Object.hasOwn(rules, found) ? rules[found] : undefined;
    return rule === undefined ? problem(() => memberOf(field(), tag), `allowed are ${allowed}`) : rule(value, field);
  };
}

export function problem(field: () => string, reason: string): Problem {
  return { field: field(), reason };
}

function own(value: JsonObject, member: string): unknown {
  return Object.hasOwn(value, member) ? value[member] : undefined;
}

function memberOf(field: string, member: string): string {
  return field === "" ? member : `${field}.${member}`;
}
