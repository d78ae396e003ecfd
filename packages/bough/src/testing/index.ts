/**
 * For those who write storages, harnesses or tools on bough: the promises as cases that run against any log or store,
 * sessions in short notations or at random, and logs that fail on purpose.
 */
export type { ConformanceHarness, SkippedCase } from "./conformance.ts";
export { FaultyLog, type LogFault } from "./faulty-log.ts";
export type { LogFixture } from "./log-case.ts";
export { type LogSubject, logConformance } from "./log-conformance.ts";
export { entriesOf, entriesOfTree, expand, headsOf, records, type SessionRecord, tree } from "./notation.ts";
export { type RandomSession, type RandomSessionOptions, randomSession, smallestFailing } from "./random-session.ts";
export type { ModelEntry } from "./reference-entry.ts";
export { type ModelAnswer, type ModelPlace, ReferenceModel } from "./reference-model.ts";
export type { StoreFixture } from "./session-case.ts";
export { type EntryNumber, randomCommands, type SessionCommand } from "./session-command.ts";
export { type StoreSubject, sessionConformance } from "./session-conformance.ts";
export { SessionWorld, type WorldKeeper } from "./session-world.ts";
