import type { ImageContent, TextContent, ThinkingContent, ToolCall } from "../entry/message.ts";
import { sendable } from "./sendable.ts";

/*
 * Content as providers take it, from content as it was stored, whatever that is: no block without content, none of an
 * unknown kind, no half of a surrogate pair. A block that is fine comes back as it is.
 *
 * Signatures vouch for bytes. A signed thinking block is therefore passed on untouched or left out whole, an unsigned one
 * is left out, and text or a call that had to change loses its signature. Another model's signatures mean nothing to
 * the one that is asked (`foreign`).
 */

type Block = Readonly<Record<string, unknown>>;

/** Text and images of a user or a tool. */
export function spokenContent(stored: unknown): readonly (TextContent | ImageContent)[] {
  return blocksOf(stored).flatMap((block): readonly (TextContent | ImageContent)[] => {
    if (block.type === "text") return textBlock(block, true);
    return block.type === "image" ? imageBlock(block) : [];
  });
}

/** What a model said. Without text and calls, nothing of it can be sent. */
export function replyContent(stored: unknown, foreign: boolean): readonly (TextContent | ThinkingContent | ToolCall)[] {
  const blocks = blocksOf(stored).flatMap((block): readonly (TextContent | ThinkingContent | ToolCall)[] => {
    if (block.type === "text") return textBlock(block, foreign);
    if (block.type === "toolCall") return callBlock(block, foreign);
    return block.type === "thinking" && !foreign && isIntact(block) ? [block as unknown as ThinkingContent] : [];
  });
  return blocks.some((block) => block.type !== "thinking") ? blocks : [];
}

function blocksOf(stored: unknown): readonly Block[] {
  if (typeof stored === "string") return [{ type: "text", text: stored }];
  if (!Array.isArray(stored)) return [];
  return stored.filter((block): block is Block => typeof block === "object" && block !== null);
}

function textBlock(block: Block, unsigned: boolean): readonly TextContent[] {
  const { text } = block;
  if (typeof text !== "string" || text.trim() === "") return [];
  const signed = block.textSignature !== undefined;
  if (text.isWellFormed() && !(signed && unsigned)) return [block as unknown as TextContent];
  const { textSignature: _, ...rest } = block;
  return [{ ...rest, type: "text", text: text.toWellFormed() }];
}

/** A blob that nobody resolved is named in words: its reference is no image data. */
function imageBlock(block: Block): readonly (TextContent | ImageContent)[] {
  const { data, mimeType } = block;
  if (typeof data !== "string" || data === "") return [];
  if (data.startsWith("blob:")) return [{ type: "text", text: `[image missing: ${data.slice("blob:".length)}]` }];
  return typeof mimeType === "string" && mimeType !== "" ? [block as unknown as ImageContent] : [];
}

/** The id stays as it is stored, so that results find their call; `""` where there is none. */
function callBlock(block: Block, foreign: boolean): readonly ToolCall[] {
  const { id, name } = block;
  if (typeof name !== "string" || name.trim() === "") return [];
  const given = isRecord(block.arguments) ? block.arguments : {};
  const call = {
    ...block,
    type: "toolCall",
    id: callIdOf(id),
    name: name.toWellFormed(),
    arguments: sendable(given),
  };
  const changed = call.id !== id || call.name !== name || call.arguments !== block.arguments;
  if (!changed && !(foreign && block.thoughtSignature !== undefined)) return [block as unknown as ToolCall];
  const { thoughtSignature: _, ...rest } = call as typeof call & { readonly thoughtSignature?: unknown };
  return [rest as unknown as ToolCall];
}

/** The id by which a call and its results find each other. */
export function callIdOf(stored: unknown): string {
  return typeof stored === "string" ? stored : "";
}

/** Whether nothing of the stored content had to change. */
export function isSame(blocks: readonly unknown[], stored: unknown): boolean {
  return (
    Array.isArray(stored) && stored.length === blocks.length && blocks.every((block, index) => block === stored[index])
  );
}

function isIntact(block: Block): boolean {
  const { thinking, thinkingSignature } = block;
  const signed = typeof thinkingSignature === "string" && thinkingSignature !== "" && thinkingSignature.isWellFormed();
  return signed && typeof thinking === "string" && thinking.isWellFormed();
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
