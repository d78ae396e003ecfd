import { onTestFinished } from "vitest";
import type { AgentMessage, Session, Summarizer, SummaryReply, SummaryRequest } from "../../src/index.ts";
import { MemoryRepo } from "../../src/storage/memory/index.ts";
import { entriesOf } from "../../src/testing/index.ts";

/** A session in memory with these records, in the notation of `expand`. */
export async function sessionOf(records = ""): Promise<Session> {
  const repo = new MemoryRepo();
  onTestFinished(() => repo.close());
  const session = await repo.create({ cwd: "/w/p" });
  await session.storage.appendEntries(entriesOf(records));
  return session;
}

/** Answers always the same, and remembers what it was asked. */
export function scripted(reply: SummaryReply | string | (() => Promise<SummaryReply>)) {
  const requests: SummaryRequest[] = [];
  const summarizer: Summarizer = async (request) => {
    requests.push(request);
    if (typeof reply === "function") return await reply();
    return typeof reply === "string" ? { content: reply } : reply;
  };
  return { requests, summarizer };
}

/** A summariser that waits until it is let go. */
export function pending(reply: SummaryReply = { content: "S" }) {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const summarizer: Summarizer = async () => {
    isAsked();
    await released;
    return reply;
  };
  return { asked, release, summarizer };
}

export function textsIn(request: SummaryRequest | undefined): readonly string[] {
  return [...(request?.messages ?? []), ...(request?.turnPrefix ?? [])].map((message) =>
    JSON.stringify(message as AgentMessage),
  );
}
