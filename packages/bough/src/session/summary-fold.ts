import type { MessageEntry, SessionTreeEntry } from "../entry/entry.ts";
import type { SessionHeader } from "../entry/header.ts";
import { contentText, messageText } from "../outline/message-text.ts";
import { plainLine } from "../outline/plain-text.ts";
import { sessionName } from "../tree/session-tree.ts";
import type { SessionInfo } from "./session-store.ts";

/**
 * What a list shows of a session, folded from its entries in log order; it keeps none of them. The preview is the first
 * text of the user, else of the model, a tool or an application.
 */
export class SummaryFold {
  readonly #header: SessionHeader;
  #name: string | undefined;
  #asked = "";
  #said = "";
  #messageCount = 0;
  #modified = Number.NEGATIVE_INFINITY;

  /** With a `state` that another fold of the same session had, goes on from there. */
  constructor(header: SessionHeader, state?: SummaryState) {
    this.#header = header;
    this.#name = state ? state.name : sessionName(header.title);
    if (!state) return;
    this.#asked = state.asked;
    this.#said = state.said;
    this.#messageCount = state.messageCount;
    this.#modified = state.modified ?? Number.NEGATIVE_INFINITY;
  }

  /** What a fold that goes on later needs to know, as JSON can hold it. */
  get state(): SummaryState {
    return {
      ...(this.#name !== undefined && { name: this.#name }),
      asked: this.#asked,
      said: this.#said,
      messageCount: this.#messageCount,
      modified: Number.isFinite(this.#modified) ? this.#modified : null,
    };
  }

  add(entry: SessionTreeEntry): void {
    switch (entry.type) {
      case "message":
        this.addActivity(activityOf(entry));
        if (entry.message.role === "user") this.#asked ||= plainLine(messageText(entry.message));
        else if (entry.message.role !== "system") this.#said ||= plainLine(messageText(entry.message));
        break;
      case "custom_message":
        this.#said ||= plainLine(contentText(entry.content));
        break;
      case "session_info":
        this.#name = sessionName(entry.name);
        break;
      case "title_change":
        this.#name = sessionName(entry.title);
        break;
    }
  }

  /** One more message of which no more matters than this; see `activityOf`. */
  addActivity(time: number | undefined): void {
    this.#messageCount++;
    if (time !== undefined && time > this.#modified) this.#modified = time;
  }

  /** Of messages yet to come only `activityOf` matters. */
  get hasPreview(): boolean {
    return this.#asked !== "";
  }

  /** With a `fileTime`, times are such that dates can be made of them: it stands in where the session tells none. */
  info(fileTime?: Date): SessionInfo {
    const { id, cwd, timestamp, parentSession = this.#header.parentSessionId, metadata } = this.#header;
    const created = fileTime ? (isoTime(timestamp) ?? fileTime.toISOString()) : timestamp;
    return {
      status: "ok",
      id,
      cwd,
      ...(this.#name !== undefined && { name: this.#name }),
      firstMessage: this.#asked || this.#said || "(no messages)",
      messageCount: this.#messageCount,
      created,
      modified: Number.isFinite(this.#modified) ? new Date(this.#modified).toISOString() : created,
      ...(parentSession !== undefined && { parentSession }),
      ...(metadata && { metadata }),
    };
  }
}

export interface SummaryState {
  readonly name?: string;
  readonly asked: string;
  readonly said: string;
  readonly messageCount: number;
  /** Milliseconds; null before any message. */
  readonly modified: number | null;
}

function isoTime(text: string): string | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/**
 * When someone last said something, as pi counts it: the time in a message of the user or the model, where a date can
 * hold it, else that of its entry. What tools and programs say is no activity.
 */
export function activityOf({ message, timestamp: entryTime }: MessageEntry): number | undefined {
  if (!isActivity(message.role)) return undefined;
  const { timestamp } = message as { readonly timestamp?: unknown };
  if (typeof timestamp === "number" && timestamp > 0 && timestamp <= 8.64e15) return timestamp;
  const parsed = Date.parse(entryTime);
  return Number.isNaN(parsed) ? undefined : parsed;
}

export function isActivity(role: string): boolean {
  return role === "user" || role === "assistant";
}
