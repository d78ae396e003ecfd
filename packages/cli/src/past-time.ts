import { UsageError } from "./usage-error.ts";

const minute = 60_000;
const units: Readonly<Record<string, number>> = {
  m: minute,
  h: 60 * minute,
  d: 24 * 60 * minute,
  w: 7 * 24 * 60 * minute,
};

/** A date, or so many minutes, hours, days or weeks ago. */
export function pastTime(text: string, now = Date.now()): Date {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : now - Number(count) * (units[unit] as number);
  if (Number.isNaN(time))
    throw new UsageError(`${text} is no time`, "Type a date such as 2026-01-31, or 30m, 12h, 3d, 2w.");
  return new Date(time);
}
