import type { SessionHeader } from "../entry/header.ts";
import { closingCases } from "./cases/closing.ts";
import { contentCases } from "./cases/content.ts";
import { identifierCases } from "./cases/identifiers.ts";
import { orderCases } from "./cases/order.ts";
import { sharingCases } from "./cases/sharing.ts";
import { type ConformanceHarness, checkCases, type SkippedCase } from "./conformance.ts";
import { LogBench, type LogCase, type LogFixture } from "./log-case.ts";

export interface LogSubject {
  readonly name: string;
  create(header: SessionHeader): Promise<LogFixture>;
  /** Cases that this kind of log doesn't meet, and why. A name that is no case is a `TypeError`. */
  readonly skip?: readonly SkippedCase[];
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
  checkCases(harness, subject, cases, async (known) => {
    const bench = new LogBench(await subject.create(conformanceHeader));
    try {
      await known.run(bench);
    } finally {
      await bench.dispose();
    }
  });
}
