import { expect, test } from "vitest";
import { pastTime } from "../src/past-time.ts";
import { UsageError } from "../src/usage-error.ts";

const now = Date.parse("2026-03-04T12:00:00Z");

test.each([
  ["30m", "2026-03-04T11:30:00Z"],
  ["12h", "2026-03-04T00:00:00Z"],
  ["3d", "2026-03-01T12:00:00Z"],
  ["2w", "2026-02-18T12:00:00Z"],
  ["2026-01-31", "2026-01-31T00:00:00Z"],
  ["2026-01-31T18:30Z", "2026-01-31T18:30:00Z"],
  ["2026-01-31 18:30:05.5+02:00", "2026-01-31T16:30:05.500Z"],
])("%s is a time", (text, time) => {
  expect(pastTime(text, now)).toEqual(new Date(time));
});

test("a time without a zone is that of the place", () => {
  expect(pastTime("2026-01-31 18:30", now)).toEqual(new Date(2026, 0, 31, 18, 30));
});

test.each(
  [
    "5",
    "90",
    "0",
    "-1",
    "-3d",
    "",
    " ",
    "3 d",
    "foo 3",
    "last 12",
    "2026",
    "2026-01",
    "2026-02-30",
    "2026-13-01",
  ].concat([
    "2026-01-31T25:00",
    "2026-01-31T",
    "01/31/2026",
    "31 Jan 2026",
    "1.5h",
    "3D",
    "x2026-01-31",
    "2026-01-31x",
  ]),
)("%j is none", (text) => {
  expect(() => pastTime(text, now)).toThrow(UsageError);
});
