import { appendingCases } from "./cases/appending.ts";
import { collectingCases } from "./cases/collecting.ts";
import { endingCases } from "./cases/ending.ts";
import { forkingCases } from "./cases/forking.ts";
import { movingCases } from "./cases/moving.ts";
import { togetherCases } from "./cases/together.ts";
import { type ConformanceHarness, checkCases, type SkippedCase } from "./conformance.ts";
import { SessionBench, type SessionCase, type StoreFixture } from "./session-case.ts";

export interface StoreSubject {
  readonly name: string;
  create(): Promise<StoreFixture>;
  /** Cases that this kind of store doesn't meet, and why. A name that is no case is a `TypeError`. */
  readonly skip?: readonly SkippedCase[];
}

const cases: readonly SessionCase[] = [
  ...appendingCases,
  ...movingCases,
  ...forkingCases,
  ...togetherCases,
  ...collectingCases,
  ...endingCases,
];

/** Checks what `SessionRepo` and `Session` promise on one kind of store. Each case has a store of its own. */
export function sessionConformance(harness: ConformanceHarness, subject: StoreSubject): void {
  checkCases(harness, subject, cases, async (known) => {
    const bench = await SessionBench.open(await subject.create());
    try {
      await known.run(bench);
    } finally {
      await bench.dispose();
    }
  });
}
