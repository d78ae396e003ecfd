/** What stands in a column is not what was put there: damage as any other of the database. */
export class SpoiltColumn extends Error {}

/** What a column of JSON says; throws `SpoiltColumn` where it holds no object. */
export function parsedColumn<T extends object>(json: string): T {
  const value = parsed(json);
  if (typeof value !== "object" || value === null) throw new SpoiltColumn(`${json.slice(0, 100)} is no object of JSON`);
  return value as T;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new SpoiltColumn("A column holds no JSON", { cause });
  }
}
