import { UsageError } from "./usage-error.ts";

const minute = 60_000;
const units: Readonly<Record<string, number>> = {
  m: minute,
  h: 60 * minute,
  d: 24 * 60 * minute,
  w: 7 * 24 * 60 * minute,
};

const ago = /^(\d{1,6})([mhdw])$/;
const date = /^\d{4}-\d{2}-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** An ISO date, which may have a time, or so many minutes, hours, days or weeks ago. */
export function pastTime(text: string, now = Date.now()): Date {
  const [, count, unit = ""] = ago.exec(text) ?? [];
  const time = count === undefined ? timeOf(text) : now - Number(count) * (units[unit] as number);
  if (Number.isNaN(time))
    throw new UsageError(
      `${text} is no time`,
      "Type a date such as 2026-01-31 or 2026-01-31T18:30, or 30m, 12h, 3d, 2w.",
    );
  return new Date(time);
}

/** Not a number also for the days that a month doesn't have: `Date` would take them for those of the next one. */
function timeOf(text: string): number {
  const [, day] = date.exec(text) ?? [];
  const isDay = new Date(text.slice(0, 10)).getUTCDate() === Number(day);
  return isDay ? Date.parse(text.replace(" ", "T")) : Number.NaN;
}
