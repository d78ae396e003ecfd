/** What runs the cases: the `test` of Vitest, Jest, Mocha or node:test. */
export interface ConformanceHarness {
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  /** How that runner shows a skipped case; without it such a case leaves no trace. */
  readonly skip?: (name: string, reason: string) => unknown;
}

export interface SkippedCase {
  readonly name: string;
  readonly reason: string;
}

interface Named {
  readonly name: string;
}

/** Gives each case to the runner, or its reason to be skipped. Throws a `TypeError` where a skip names no case. */
export function checkCases<C extends Named>(
  harness: ConformanceHarness,
  subject: Named & { readonly skip?: readonly SkippedCase[] },
  cases: readonly C[],
  run: (known: C) => Promise<void>,
): void {
  const skipped = new Map((subject.skip ?? []).map(({ name, reason }) => [name, reason]));
  for (const name of skipped.keys()) {
    if (!cases.some((known) => known.name === name)) throw new TypeError(`no case is named "${name}"`);
  }
  for (const known of cases) {
    const title = `${subject.name}: ${known.name}`;
    const reason = skipped.get(known.name);
    if (reason === undefined) harness.test(title, () => run(known));
    else harness.skip?.(title, reason);
  }
}
