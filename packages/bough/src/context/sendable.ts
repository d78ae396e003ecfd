/** More than any tool asks for, and less than programs fail at that go down into values by recursion. */
const deepest = 200;

/**
 * JSON that any program can send: every half of a surrogate pair is replaced by U+FFFD, in keys and values, and what is
 * nested more than 200 deep by null. What needs no change comes back as it is; nesting of any depth is taken.
 */
export function sendable<T>(json: T): T {
  return isSendable(json) ? json : (repaired(json) as T);
}

function isSendable(json: unknown): boolean {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    const inner: unknown[] = [];
    for (const value of level) {
      if (typeof value === "string" && !value.isWellFormed()) return false;
      if (typeof value !== "object" || value === null) continue;
      if (depth === deepest) return false;
      for (const [key, member] of Object.entries(value)) {
        if (!key.isWellFormed()) return false;
        inner.push(member);
      }
    }
    level = inner;
  }
  return true;
}

function repaired(json: unknown): unknown {
  const root: Record<string, unknown> = {};
  const pending = [{ into: root, key: "json", value: json, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { into, key, value, depth } = next;
    if (typeof value !== "object" || value === null) {
      define(into, key, typeof value === "string" ? value.toWellFormed() : value);
      continue;
    }
    if (depth === deepest) continue;
    const copy = (Array.isArray(value) ? [] : {}) as Record<string, unknown>;
    define(into, key, copy);
    for (const [innerKey, inner] of Object.entries(value)) {
      const cleanKey = innerKey.toWellFormed();
      define(copy, cleanKey, null);
      pending.push({ into: copy, key: cleanKey, value: inner, depth: depth + 1 });
    }
  }
  return root.json;
}

/** Assigning would lose a key named `__proto__`. */
function define(into: object, key: string, value: unknown): void {
  Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
}
