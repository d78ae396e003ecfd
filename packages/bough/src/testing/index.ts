export { FaultyLog, type LogFault } from "./faulty-log.ts";
export type { LogFixture } from "./log-case.ts";
export { type ConformanceHarness, type LogSubject, logConformance, type SkippedCase } from "./log-conformance.ts";
export { entriesOf, entriesOfTree, expand, headsOf, records, type SessionRecord, tree } from "./notation.ts";
export { type RandomSession, type RandomSessionOptions, randomSession, smallestFailing } from "./random-session.ts";
