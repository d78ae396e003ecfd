/** A host that has ids of its own opens a conversation by them, wherever it stopped. Run it twice. */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assistant, user } from "bough";
import { JsonlRepo } from "bough/jsonl";

const folder = process.argv[2] ?? (await mkdtemp(join(tmpdir(), "bough-example-")));

async function handle(ticket: string, text: string): Promise<number> {
  const repo = new JsonlRepo({ root: folder });
  const session = await repo.open(ticket, { create: true });
  await session.appendMessage(user(text));
  const { messages } = await session.buildContext();
  await session.appendMessage(assistant(`I have read ${messages.length} messages.`));
  await repo.close();
  return messages.length;
}

console.log(await handle("ticket-4711", "The printer is on fire."));
console.log(await handle("ticket-4711", "It still is."));
