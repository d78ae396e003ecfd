import type { UserContent } from "bough";

/** A note as renderers see it: `display: false` ones they never do. */
export interface RenderedMessage {
  readonly customType: string;
  readonly content: UserContent;
  readonly display: boolean;
  readonly details?: unknown;
}

export interface RenderOptions {
  /** Columns. */
  readonly width: number;
  /** Whether the user wants to see all of it. */
  readonly expanded: boolean;
}

/** Colours by the names that themes have for notes. */
export type ThemeColor = "customMessageBg" | "customMessageText" | "customMessageLabel" | (string & {});

export interface MessageTheme {
  fg(color: ThemeColor, text: string): string;
  bg(color: ThemeColor, text: string): string;
  bold(text: string): string;
}

/** Text, lines, or what makes lines of a width; nothing: as every note looks. */
export type Rendering = string | readonly string[] | { render(width: number): readonly string[] } | undefined;

export type MessageRenderer = (message: RenderedMessage, options: RenderOptions, theme: MessageTheme) => Rendering;

/** `default`: no extension has a say, or the one that has failed. */
export type RenderedNote =
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  | { readonly kind: "default" }
  | { readonly kind: "hidden" };

/** For output without colours. */
export const plainTheme: MessageTheme = {
  fg: (_, text) => text,
  bg: (_, text) => text,
  bold: (text) => text,
};

/** Throws `TypeError` where the answer of a renderer is none. */
export function linesOf(rendering: Rendering, width: number): readonly string[] | undefined {
  if (rendering === undefined || rendering === null) return undefined;
  if (typeof rendering === "string") return rendering.split("\n");
  const lines = "render" in rendering ? rendering.render(width) : rendering;
  if (Array.isArray(lines) && lines.every((line) => typeof line === "string")) return [...lines];
  throw new TypeError("a renderer returns text, lines, or what renders lines");
}
