/*
 * JSON as an automaton that takes a byte a step. What it can't know is what strings say and which brackets enclose a
 * place: at their first byte it asks for an action, and whoever carries it out says where to go on.
 */

const blank = " \t\n\r";
const digits = "0123456789";

/** A rule is what may come, and what comes then: another state, or an action. */
type Rules = Readonly<Record<string, string>>;

const valueRules: Rules = {
  [blank]: "value",
  '"': "text",
  "{": "object",
  "[": "array",
  "-": "minus",
  "0": "zero",
  "123456789": "integer",
  t: "rue",
  f: "alse",
  n: "ull",
};
/** What may follow a value. Where a file system extended a file, NULs stand around its lines. */
const endRules: Rules = { [blank]: "after", ",": "comma", "}": "endOfObject", "]": "endOfArray", "\0": "nul" };
const exponentRules: Rules = { eE: "exponent", ...endRules };
const fractionRules: Rules = { ".": "point", ...exponentRules };

const rules = {
  start: { ...valueRules, "\0": "start" },
  value: valueRules,
  firstElement: { ...valueRules, [blank]: "firstElement", "]": "endOfArray" },
  key: { [blank]: "key", '"': "name" },
  firstKey: { [blank]: "firstKey", '"': "name", "}": "endOfObject" },
  colon: { [blank]: "colon", ":": "value" },
  after: endRules,
  nuls: { "\0": "nuls" },
  minus: { "0": "zero", "123456789": "integer" },
  zero: fractionRules,
  integer: { [digits]: "integer", ...fractionRules },
  point: { [digits]: "fraction" },
  fraction: { [digits]: "fraction", ...exponentRules },
  exponent: { "+-": "sign", [digits]: "power" },
  sign: { [digits]: "power" },
  power: { [digits]: "power", ...endRules },
  // Literals, by what is still to come of them.
  rue: { r: "ue" },
  ue: { u: "e" },
  alse: { a: "lse" },
  lse: { l: "se" },
  se: { s: "e" },
  e: { e: "after" },
  ull: { u: "ll" },
  ll: { l: "l" },
  l: { l: "after" },
} as const satisfies Readonly<Record<string, Rules>>;

const actions = ["text", "name", "object", "array", "endOfObject", "endOfArray", "comma", "nul", "fail"] as const;

const states = Object.keys(rules) as (keyof typeof rules)[];
const steps = [...states, ...actions];

export type JsonStep = (typeof steps)[number];

export const firstAction = states.length;

/** The number of a state or an action; from `firstAction` on they are actions. */
export function stepOf(name: JsonStep): number {
  return steps.indexOf(name);
}

let table: Uint8Array | undefined;

/** What comes next, by the state times 256 plus the byte. */
export function jsonSteps(): Uint8Array {
  table ??= tableOf(rules);
  return table;
}

function tableOf(rulesOfStates: Readonly<Record<string, Rules>>): Uint8Array {
  const table = new Uint8Array(states.length << 8).fill(stepOf("fail"));
  for (const [state, stateRules] of Object.entries(rulesOfStates)) {
    for (const [characters, next] of Object.entries(stateRules)) {
      for (const character of characters) {
        table[(stepOf(state as JsonStep) << 8) | character.charCodeAt(0)] = stepOf(next as JsonStep);
      }
    }
  }
  return table;
}
