import { expect, test } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { converse } from "../../src/chat/converse.ts";

test("what is refused stands in the user's line again", async () => {
  const say = async () => await Promise.reject(new Error("busy"));
  const typed = ["hello", "/nonsense", undefined];
  const drafts: (string | undefined)[] = [];
  const failures: unknown[] = [];
  const input = {
    line: async ({ draft }: { readonly draft?: string | undefined } = {}) => {
      drafts.push(draft);
      return typed.shift();
    },
    close: () => undefined,
  };
  const chat = { say, runCommand: async () => false } as unknown as Chat;
  await converse(chat, { input, failed: async (error) => void failures.push(error), ran: async () => undefined });
  expect(drafts).toEqual([undefined, "hello", undefined]);
  expect(failures).toHaveLength(2);
});
