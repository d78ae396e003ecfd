import type { Replaced } from "@bough/harness";
import type { Chat } from "./chat.ts";

/** Extensions may refuse to leave a session. */
export async function sayIfRefused({ cli }: Chat, { cancelled }: Replaced): Promise<void> {
  if (cancelled) await cli.stdout.line("An extension refused; the conversation goes on here.");
}
