/** Freezes a JSON value through and through, in place, and returns it. Nesting of any depth is fine. */
export function frozen<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const key in next) {
      const member = (next as Record<string, unknown>)[key];
      if (typeof member === "object") open.push(member);
    }
  }
  return value;
}
