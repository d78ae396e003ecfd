import { expect, test } from "vitest";
import { open, pathOf, says } from "./support/scripted.ts";

const unavailable = () => says("", { stopReason: "error", errorMessage: "503 service unavailable" });
const retry = { baseDelayMs: 1, maxRetries: 2 };

test("a transient failure is tried again, visibly, and what failed stays stored and out of the context", async () => {
  const { harness, session, events } = await open([unavailable(), unavailable(), says("at last")], { retry });
  const phases: string[] = [];
  harness.on("retry_scheduled", () => void phases.push(harness.phase));
  expect(await harness.prompt("go")).toMatchObject({ status: "answered", message: { content: [{ text: "at last" }] } });
  expect(phases).toEqual(["retry", "retry"]);
  expect(events.filter(({ type }) => type.startsWith("retry"))).toMatchObject([
    { type: "retry_scheduled", operation: "turn", attempt: 1, maxAttempts: 2, delayMs: 1 },
    { type: "retry_attempt_start", attempt: 1 },
    { type: "retry_scheduled", attempt: 2, delayMs: 2 },
    { type: "retry_attempt_start", attempt: 2 },
    { type: "retry_finished", success: true, attempt: 2 },
  ]);
  expect(await pathOf(session)).toHaveLength(5);
});

test("retries end after their number, and what isn't transient is not tried again", async () => {
  const { harness, events, faux } = await open([unavailable(), unavailable(), unavailable(), says("never")], { retry });
  expect(await harness.prompt("go")).toMatchObject({ status: "failed" });
  expect(events.findLast(({ type }) => type === "retry_finished")).toMatchObject({ success: false, attempt: 2 });
  faux.setResponses([says("", { stopReason: "error", errorMessage: "invalid api key" }), says("never")]);
  expect(await harness.prompt("go")).toMatchObject({ status: "failed" });
  expect(faux.getPendingResponseCount()).toBe(1);
});

test("an abort ends the wait for the next attempt", async () => {
  const { harness, events } = await open([unavailable(), says("never")], { retry: { baseDelayMs: 60_000 } });
  harness.on("retry_scheduled", () => void harness.abort());
  expect(await harness.prompt("go")).toMatchObject({ status: "aborted" });
  expect(events.findLast(({ type }) => type === "retry_finished")).toMatchObject({ success: false });
});
