import { readFileSync } from "node:fs";

/** Prints what a vitest JSON report counted; fails if nothing passed or anything failed. */
const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, success } = report;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = success && passed > 0 && failed === 0 ? 0 : 1;
