/**
 * A deep copy of what is data in `value`. Of a signal it has one that follows it; functions and instances of classes are
 * handed on as they are.
 */
export function copyOf<T>(value: T): T {
  return copied(value, false) as T;
}

/** The same, frozen: one copy for many watchers. What is frozen already is handed on. */
export function snapshotOf<T>(value: T): T {
  return copied(value, true) as T;
}

function copied(value: unknown, freeze: boolean): unknown {
  if (typeof value !== "object" || value === null || (freeze && Object.isFrozen(value))) return value;
  if (Array.isArray(value))
    return done(
      value.map((member) => copied(member, freeze)),
      freeze,
    );
  if (value instanceof AbortSignal) return AbortSignal.any([value]);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, copied(member, freeze)]);
  return done(Object.fromEntries(members), freeze);
}

function done(copy: object, freeze: boolean): object {
  return freeze ? Object.freeze(copy) : copy;
}
