import {
  type AgentMessage,
  type CustomMessageInput,
  completeMessage,
  type EntryDraft,
  type ImageContent,
  type MessageInput,
  type UserContent,
} from "bough";
import { createCustomMessage } from "bough/context";
import { storableDraft } from "./storable-draft.ts";

/** What can be said to a harness: the user's words, a message, or an application's note. */
export type HarnessInput = UserContent | MessageInput | NoteInput;

/** An application's note; without content it is kept as data, which the model never sees. */
export type NoteInput = Omit<CustomMessageInput, "content"> & { readonly content?: UserContent };

/** The entry that keeps an input, sharing nothing with it. Throws `invalid_entry`. */
export function draftOf(input: HarnessInput, now: number): EntryDraft {
  return storableDraft(entryFor(input, now));
}

function entryFor(input: HarnessInput, now: number): EntryDraft {
  if (typeof input === "string" || Array.isArray(input)) {
    return { type: "message", message: completeMessage({ role: "user", content: input as UserContent }, now) };
  }
  if ("role" in input) return { type: "message", message: completeMessage(input, now) };
  const { customType, content, details, display = true } = input as NoteInput;
  if (content === undefined) return { type: "custom", customType, ...(details !== undefined && { data: details }) };
  return { type: "custom_message", customType, content, display, ...(details !== undefined && { details }) };
}

/** The message that a draft will be in a context; undefined for entries that say nothing. */
export function messageIn(draft: EntryDraft, timestamp: string): AgentMessage | undefined {
  if (draft.type === "message") return draft.message;
  if (draft.type !== "custom_message") return undefined;
  return createCustomMessage(draft.customType, draft.content, draft.display, draft.details, timestamp);
}

export function textOf(content: UserContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

export function imagesOf(content: UserContent): readonly ImageContent[] {
  return typeof content === "string" ? [] : content.filter((block) => block.type === "image");
}
