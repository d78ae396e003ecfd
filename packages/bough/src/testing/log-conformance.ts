import type { SessionHeader } from "../entry/header.ts";
import { closingCases } from "./cases/closing.ts";
import { contentCases } from "./cases/content.ts";
import { identifierCases } from "./cases/identifiers.ts";
import { orderCases } from "./cases/order.ts";
import { sharingCases } from "./cases/sharing.ts";
import { LogBench, type LogCase, type LogFixture } from "./log-case.ts";

/** What runs the cases: the `test` of Vitest, Jest, Mocha or node:test. */
export interface ConformanceHarness {
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  /** How that runner shows a skipped case; without it such a case leaves no trace. */
  readonly skip?: (name: string, reason: string) => unknown;
}

export interface LogSubject {
  readonly name: string;
  create(header: SessionHeader): Promise<LogFixture>;
  /** Cases that this kind of log doesn't meet, and why. A name that is no case is a `TypeError`. */
  readonly skip?: readonly SkippedCase[];
}

export interface SkippedCase {
  readonly name: string;
  readonly reason: string;
}

const cases: readonly LogCase[] = [
  ...orderCases,
  ...contentCases,
  ...identifierCases,
  ...sharingCases,
  ...closingCases,
];

/** The header of the sessions that `logConformance` creates. */
export const conformanceHeader: SessionHeader = {
  type: "session",
  version: 3,
  id: "0198c0de-0000-7000-8000-000000000001",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w/p",
  metadata: { purpose: "conformance" },
};

/**
 * Checks the promises of `EntryLog` on one kind of log; synchronous ones come through `asyncLog`. Each case has a
 * session of its own, so a runner may take them in any order.
 */
export function logConformance(harness: ConformanceHarness, subject: LogSubject): void {
  const skipped = new Map((subject.skip ?? []).map(({ name, reason }) => [name, reason]));
  for (const name of skipped.keys()) {
    if (!cases.some((known) => known.name === name)) throw new TypeError(`no case is named "${name}"`);
  }
  for (const known of cases) {
    const title = `${subject.name}: ${known.name}`;
    const reason = skipped.get(known.name);
    if (reason === undefined) harness.test(title, () => runCase(subject, known));
    else harness.skip?.(title, reason);
  }
}

async function runCase(subject: LogSubject, known: LogCase): Promise<void> {
  const bench = new LogBench(await subject.create(conformanceHeader));
  try {
    await known.run(bench);
  } finally {
    await bench.dispose();
  }
}
