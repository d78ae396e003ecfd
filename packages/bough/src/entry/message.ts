import type { Usage } from "./usage.ts";

/** An open set: the known values are listed, any other string is legal. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

export type ThinkingLevel = Open<"off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max">;
export type StopReason = Open<"stop" | "length" | "toolUse" | "error" | "aborted" | "deferred">;

export interface TextContent {
  readonly type: "text";
  readonly text: string;
  readonly textSignature?: string;
}

export interface ThinkingContent {
  readonly type: "thinking";
  readonly thinking: string;
  /** A signed block is passed on whole or left out whole. */
  readonly thinkingSignature?: string;
  readonly redacted?: boolean;
}

/** `data` is base64, or `blob:sha256:<hex>` where oh-my-pi keeps the bytes beside the session. */
export interface ImageContent {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

export interface ToolCall {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly thoughtSignature?: string;
}

export type UserContent = string | readonly (TextContent | ImageContent)[];
export type AssistantContent = readonly (TextContent | ThinkingContent | ToolCall)[];

export interface UserMessage {
  readonly role: "user";
  readonly content: UserContent;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: AssistantContent;
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: StopReason;
  readonly errorMessage?: string;
  readonly timestamp: number;
}

export interface ToolResultMessage<TDetails = unknown> {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details?: TDetails;
  readonly isError: boolean;
  readonly usage?: Usage;
  readonly timestamp: number;
}

/** pi 1.6: the prompt and the tools in force from here on; the first is complete, later ones are patches. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: string | readonly TextContent[];
  /** Named parts after `content`; a later message replaces a part by name, null removes it. */
  readonly sections?: Readonly<Record<string, string | null>>;
  readonly toolsAdded?: readonly unknown[];
  readonly toolsRemoved?: readonly unknown[];
  readonly timestamp: number;
}

/** A command the user ran beside the conversation. */
export interface BashExecutionMessage {
  readonly role: "bashExecution";
  readonly command: string;
  readonly output: string;
  readonly exitCode?: number | null;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
  readonly excludeFromContext?: boolean;
  readonly timestamp: number;
}

export interface CustomMessage<TDetails = unknown> {
  readonly role: "custom";
  readonly customType: string;
  readonly content: UserContent;
  /** False hides it from people, never from the model. */
  readonly display: boolean;
  readonly details?: TDetails;
  readonly timestamp: number;
}

/** Made when a context is built, never stored as a message. */
export interface BranchSummaryMessage {
  readonly role: "branchSummary";
  readonly summary: string;
  readonly fromId: string;
  readonly timestamp: number;
}

/** Made when a context is built, never stored as a message. */
export interface CompactionSummaryMessage {
  readonly role: "compactionSummary";
  readonly summary: string;
  readonly tokensBefore: number;
  readonly timestamp: number;
}

/** What providers take. */
export type LlmMessage = UserMessage | AssistantMessage | ToolResultMessage | SystemMessage;

export type AgentMessage =
  | LlmMessage
  | BashExecutionMessage
  | CustomMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

/** A message as callers may pass it: an appender fills in time, zero usage and an unknown provider. */
export type MessageInput = AgentMessage extends infer M
  ? M extends AssistantMessage
    ? Pick<M, "role" | "content"> & Partial<Omit<M, "role" | "content">>
    : M extends AgentMessage
      ? Omit<M, "timestamp"> & Partial<Pick<M, "timestamp">>
      : never
  : never;
