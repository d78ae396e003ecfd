import { assistant, type MessageInput, type Session, toolResult, user } from "bough";

/** Fills a session; texts are made up, everything else is stored as an agent would store it. Answers with the entry labelled cause-found. */
export async function tellStory(
  session: Session,
  step: (text: string, detail: string) => Promise<void>,
): Promise<string> {
  await session.appendModelChange("acme", "large-2");
  await session.appendThinkingLevelChange("medium");
  const opening = await session.appendMessages(investigation);
  const causeFound = opening.at(-1) as string;
  await session.appendLabel(causeFound, "cause-found");
  await session.appendMessages(withQueue);
  await step("A conversation with tool calls", `${opening.length + withQueue.length} messages`);

  await session.moveTo(causeFound, {
    summary:
      "A retry queue in Redis was tried and given up: the CI runners have no Redis, and operations doesn't want another " +
      "service. The edits to src/webhooks/queue.ts were reverted.",
    details: { readFiles: [], modifiedFiles: ["src/webhooks/queue.ts"] },
  });
  await step("Back to @cause-found, another way", "the branch left behind is summarised");

  const second = await session.appendMessages(withOutbox);
  await session.appendLabel(second.at(-1) as string, "green");
  const before = (await session.buildContext()).messages.length;
  await session.appendCompaction({
    summary:
      "Goal: webhook deliveries must survive failures of the receiver.\nFound: deliver() drops an event when the request " +
      "times out.\nDone: events are kept in the outbox table and retried with a growing delay; all tests pass.",
    firstKeptEntryId: second.at(-1) as string,
    tokensBefore: 18_432,
    details: { readFiles: ["src/webhooks/deliver.ts"], modifiedFiles: ["src/webhooks/outbox.ts"] },
  });
  await session.appendMessages(closing);
  const after = (await session.buildContext()).messages.length - closing.length;
  await step("Compacted", `${after} messages stand for ${before}; none is lost`);

  await session.appendSessionName("Webhook retries");
  return causeFound;
}

const model = { provider: "acme", model: "large-2", api: "acme-messages" };

function reply(tokens: number, ...content: Extract<MessageInput, { role: "assistant" }>["content"]): MessageInput {
  const usage = {
    input: 40,
    output: 120,
    cacheRead: tokens,
    cacheWrite: 400,
    totalTokens: tokens + 560,
    cost: { input: 0.0002, output: 0.003, cacheRead: tokens * 5e-7, cacheWrite: 0.0025, total: 0.0057 + tokens * 5e-7 },
  };
  return assistant(content, { ...model, usage });
}

function text(words: string) {
  return { type: "text", text: words } as const;
}

function call(id: string, name: string, args: Record<string, unknown>) {
  return { type: "toolCall", id, name, arguments: args } as const;
}

const investigation: readonly MessageInput[] = [
  user("Some webhook deliveries never arrive, about two a day. Can you find out why?"),
  reply(1200, text("I'll start with the delivery code."), call("c1", "read", { path: "src/webhooks/deliver.ts" })),
  toolResult(
    "c1",
    "read",
    "export async function deliver(event: Event, url: string) {\n" +
      "  const response = await fetch(url, { body: JSON.stringify(event), signal: AbortSignal.timeout(5000) });\n" +
      "  if (!response.ok) log.warn('delivery failed', event.id);\n}\n",
  ),
  reply(1900, call("c2", "bash", { command: "grep -c 'timed out' logs/webhooks-*.log" })),
  toolResult("c2", "bash", "logs/webhooks-monday.log:2\nlogs/webhooks-tuesday.log:3\n"),
  reply(
    2300,
    text(
      "Found it: when the receiver takes longer than five seconds, `deliver` throws, and nobody tries again. The event is lost.",
    ),
  ),
];

const withQueue: readonly MessageInput[] = [
  user("Add a retry queue in Redis."),
  reply(
    2600,
    call("c3", "edit", {
      path: "src/webhooks/queue.ts",
      oldText: "",
      newText: "export const queue = new Queue(redis);",
    }),
  ),
  toolResult("c3", "edit", "src/webhooks/queue.ts was changed"),
  reply(3100, call("c4", "bash", { command: "npm test" })),
  toolResult("c4", "bash", "Error: connect ECONNREFUSED 127.0.0.1:6379\n3 failed, 41 passed\n", { isError: true }),
  reply(
    3600,
    text("The queue works here, but the CI runners have no Redis. We would need another service in every environment."),
  ),
];

const withOutbox: readonly MessageInput[] = [
  user("No new services, please. Can the database do it?"),
  reply(
    2900,
    text("Yes: events go into an outbox table in the same transaction, and a worker delivers them."),
    call("c5", "edit", {
      path: "src/webhooks/outbox.ts",
      oldText: "",
      newText: "export const outbox = table('outbox');",
    }),
  ),
  toolResult("c5", "edit", "src/webhooks/outbox.ts was changed"),
  reply(3500, call("c6", "bash", { command: "npm test" })),
  toolResult("c6", "bash", "44 passed\n"),
  reply(4000, text("Done. Deliveries are retried after 10 s, 1 min, 10 min and 1 h, and all tests pass.")),
];

const closing: readonly MessageInput[] = [
  user("Write a line for the changelog."),
  reply(1500, text("- Webhook deliveries that fail are kept and retried, so none is lost any more.")),
];
