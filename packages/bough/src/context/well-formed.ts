/**
 * JSON with every half of a surrogate pair replaced by U+FFFD, in keys and values. What needs no change comes back as it
 * is; nesting of any depth is taken.
 */
export function wellFormed<T>(json: T): T {
  return isWellFormed(json) ? json : (repaired(json) as T);
}

function isWellFormed(json: unknown): boolean {
  const pending: unknown[] = [json];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string" && !value.isWellFormed()) return false;
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (!key.isWellFormed()) return false;
      pending.push(inner);
    }
  }
  return true;
}

function repaired(json: unknown): unknown {
  const root: Record<string, unknown> = {};
  const pending = [{ into: root, key: "json", value: json }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { into, key, value } = next;
    if (typeof value !== "object" || value === null) {
      define(into, key, typeof value === "string" ? value.toWellFormed() : value);
      continue;
    }
    const copy = (Array.isArray(value) ? [] : {}) as Record<string, unknown>;
    define(into, key, copy);
    for (const [innerKey, inner] of Object.entries(value)) {
      const cleanKey = innerKey.toWellFormed();
      define(copy, cleanKey, null);
      pending.push({ into: copy, key: cleanKey, value: inner });
    }
  }
  return root.json;
}

/** Assigning would lose a key named `__proto__`. */
function define(into: object, key: string, value: unknown): void {
  Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
}
