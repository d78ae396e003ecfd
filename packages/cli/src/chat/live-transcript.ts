import type { HarnessEvent, HarnessEventOf } from "@bough/harness";
import type { AgentMessage, AssistantMessage } from "bough";
import { contentText, describeToolCall, plainLine, plainText } from "bough/outline";
import type { Output, Style } from "../output.ts";
import { cutToWidth } from "../text-width.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { PlainStream } from "./plain-stream.ts";

export interface TranscriptOutputs {
  /** What the model says; undefined where somebody else prints it. */
  readonly said: Output | undefined;
  /** What happens besides: tools, retries, compactions. */
  readonly notes: Output;
  /** How an extension draws a note; undefined: as every note looks. */
  readonly drawn?: (message: CustomMessage, width: number) => Promise<readonly string[] | undefined>;
}

export type CustomMessage = Extract<AgentMessage, { role: "custom" }>;

const shownLines = 6;

/** Shows a conversation while it goes on. Nothing stored reaches an output as a control sequence. */
export class LiveTranscript {
  readonly #said: Output | undefined;
  readonly #notes: Output;
  readonly #drawn: TranscriptOutputs["drawn"];
  readonly #plain = new PlainStream();
  readonly #markdown: MarkdownStream | undefined;
  /** What the line under way belongs to. */
  #speaking: "text" | "thinking" | undefined;
  #isMidLine = false;

  constructor({ said, notes, drawn }: TranscriptOutputs) {
    this.#said = said;
    this.#drawn = drawn;
    this.#notes = notes;
    this.#markdown = said?.wantsColour ? new MarkdownStream((style, text) => said.paint(style, text)) : undefined;
  }

  /** A listener of a harness. */
  async hear(event: HarnessEvent): Promise<void> {
    switch (event.type) {
      case "message_update":
        return await this.#update(event);
      case "message_end":
        if (event.message.role === "assistant") await this.#endReply(event.message);
        if (event.message.role === "custom") await this.#showNote(event.message as CustomMessage);
        return;
      case "tool_execution_start": {
        const call = { type: "toolCall", id: event.toolCallId, name: event.toolName, arguments: event.args } as never;
        return await this.note("cyan", `● ${plainLine(describeToolCall(call))}`);
      }
      case "tool_execution_end":
        return await this.#showResult(event);
      case "retry_scheduled": {
        const seconds = (event.delayMs / 1000).toLocaleString("en-US", { maximumFractionDigits: 1 });
        return await this.note("yellow", `  again in ${seconds} s (${event.attempt} of ${event.maxAttempts})`);
      }
      case "compaction_start":
        return await this.note("dim", event.reason === "manual" ? "● compacting" : "● the context is full: compacting");
      case "compaction_end":
        return await this.#showCompaction(event);
      default:
    }
  }

  /** A line of its own beside what is said. The caller answers for what is in it. */
  async note(style: Style, line: string): Promise<void> {
    await this.#endLine();
    await this.#notes.line(this.#notes.paint(style, cutToWidth(line, this.#notes.width)));
  }

  async #update({ assistantMessageEvent: event }: HarnessEventOf<"message_update">): Promise<void> {
    if (event.type === "text_delta") await this.#say("text", event.delta);
    else if (event.type === "thinking_delta" && this.#notes.isTerminal) await this.#say("thinking", event.delta);
    else if (event.type === "text_end" || event.type === "thinking_end") await this.#endLine();
  }

  async #say(kind: "text" | "thinking", delta: string): Promise<void> {
    const said = this.#said;
    if (!said) return;
    if (this.#speaking !== kind) await this.#endLine();
    this.#speaking = kind;
    const text = this.#plain.push(delta);
    if (text === "") return;
    const shown = kind === "thinking" ? said.paint("dim", text) : (this.#markdown?.push(text) ?? text);
    await this.#write(said, shown, text.endsWith("\n"));
  }

  async #write(said: Output, shown: string, endsLine: boolean): Promise<void> {
    this.#isMidLine = !endsLine;
    if (shown !== "") await said.write(shown);
  }

  async #endLine(): Promise<void> {
    const said = this.#said;
    if (!said || this.#speaking === undefined) return;
    const isText = this.#speaking === "text";
    const rest = this.#plain.end();
    const shown = isText && this.#markdown ? this.#markdown.push(rest) + this.#markdown.end() : rest;
    this.#speaking = undefined;
    await said.write(this.#isMidLine || rest !== "" ? `${shown}\n` : shown);
    this.#isMidLine = false;
  }

  async #endReply({ stopReason, errorMessage }: AssistantMessage): Promise<void> {
    await this.#endLine();
    if (stopReason === "aborted") await this.note("yellow", "● stopped; what was said so far is kept");
    if (stopReason === "error") await this.note("red", `● the request failed: ${plainLine(errorMessage ?? "", 500)}`);
  }

  async #showNote(message: CustomMessage): Promise<void> {
    if (message.display === false) return;
    const width = Number.isFinite(this.#notes.width) ? this.#notes.width : 80;
    const lines = (await this.#drawn?.(message, width)) ?? [`● ${message.customType}: ${contentText(message.content)}`];
    for (const line of plainText(lines.join("\n")).split("\n")) await this.note("magenta", line);
  }

  async #showResult({ result, isError }: HarnessEventOf<"tool_execution_end">): Promise<void> {
    const text = plainText(contentText((result as { readonly content?: unknown } | undefined)?.content)).trimEnd();
    const lines = text.split("\n");
    const style = isError ? "red" : "dim";
    for (const line of lines.slice(0, shownLines)) await this.note(style, `  ${line.replaceAll("\t", "  ")}`);
    const rest = lines.length - shownLines;
    if (rest > 0) await this.note("dim", `  … ${rest} more ${rest === 1 ? "line" : "lines"}`);
  }

  async #showCompaction({ compactionEntry, reason, errorMessage }: HarnessEventOf<"compaction_end">): Promise<void> {
    // Who asked for it is told by the failure itself.
    if (!compactionEntry && reason === "manual") return;
    if (!compactionEntry) return await this.note("yellow", `  not compacted: ${plainLine(errorMessage ?? "")}`);
    const { tokensBefore, tokensAfter = 0 } = compactionEntry;
    const sizes = [tokensBefore, tokensAfter].map((tokens) => tokens.toLocaleString("en-US"));
    await this.note("dim", `  ${sizes[0]} tokens before, ${sizes[1]} after; nothing is lost`);
  }
}
