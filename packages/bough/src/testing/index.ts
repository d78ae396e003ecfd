export type { LogFixture } from "./log-case.ts";
export { type ConformanceHarness, type LogSubject, logConformance, type SkippedCase } from "./log-conformance.ts";
