import fc from "fast-check";

/*
 * JSON with numbers that JavaScript can't hold, made as text, and read with each number as it is spelt.
 */

const digits = fc.stringMatching(/^[0-9]{1,40}$/);
const sign = fc.constantFrom("", "-");
const whole = fc.tuple(sign, fc.bigInt({ min: 0n, max: 10n ** 40n })).map(([minus, number]) => `${minus}${number}`);
const exponent = fc.tuple(fc.constantFrom("e", "E", "e-", "E+", "e+00"), fc.nat(2000)).map((parts) => parts.join(""));

/** Any spelling that JSON allows. */
export const numberText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: whole },
  fc.tuple(whole, digits).map(([number, fraction]) => `${number}.${fraction}`),
  fc.tuple(whole, exponent).map((parts) => parts.join("")),
  fc.tuple(fc.nat(9), digits, exponent).map(([first, fraction, rest]) => `${first}.${fraction}${rest}`),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => JSON.stringify(number)),
  fc.constantFrom("0", "-0", "-0.0", "9007199254740993", "1e999", "-1E400", "1e-999", "0.1000000000000000055", "1e23"),
);

const odd = fc.constantFrom("\ue000", "\\ue000", '"', '\\"', "\\", "12345678901234567890", ":1e999", "[1e999,", "🌳");
const stringText = fc.oneof(fc.string(), odd).chain((text) => {
  return fc.constantFrom(JSON.stringify(text), JSON.stringify(text).replaceAll("\ue000", "\\uE000"));
});
/** V8 takes the name `"\\""` for `"\\\\"` where it has met that before, so that no reader can tell them apart. */
const nameText = fc.oneof(
  fc.constantFrom('"__proto__"', '"toJSON"', '"0"', '"7"', '"model_id"'),
  stringText.filter((text) => !text.startsWith('"\\')),
);

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 3, arbitrary: numberText },
    stringText,
    fc.array(tie("value"), { maxLength: 4 }).map((members) => `[${members.join(", ")}]`),
    fc
      .array(fc.tuple(nameText, tie("value")), { maxLength: 4 })
      .map((members) => `{${members.map(([name, member]) => `${name}: ${member}`).join(" ,")}}`),
  ),
}));

export const jsonWithNumbers: fc.Arbitrary<string> = value;

/** What `text` says, with the exact value of each number in its place. */
export function exactly(text: string): unknown {
  const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
  return JSON.parse(
    text.replace(token, (found) => (found.startsWith('"') ? found : `{"number":"${exactValue(found)}"}`)),
  );
}

/** The same for all spellings of one number. */
function exactValue(source: string): string {
  const [mantissa = "", power = "0"] = source.toLowerCase().split("e");
  const [integer = "", fraction = ""] = mantissa.split(".");
  let number = BigInt(integer + fraction);
  if (integer.startsWith("-") && number > 0n) number = -number;
  let tens = number === 0n ? 0n : BigInt(power.replace("+", "")) - BigInt(fraction.length);
  while (number !== 0n && number % 10n === 0n) {
    number /= 10n;
    tens++;
  }
  return `${number}e${tens}`;
}
