import { extractiveSummarizer, type Summarizer } from "bough";
import type { Cli } from "./cli.ts";

export interface SummarizerOptions {
  readonly model?: string;
  readonly baseUrl?: string;
}

/** The model that was named; where nobody named one the conversation's own words summarise. */
export async function chosenSummarizer(cli: Cli, options: SummarizerOptions): Promise<Summarizer> {
  if (options.model === undefined && options.baseUrl === undefined) return extractiveSummarizer;
  const { askedSummarizer } = await import("./chat/model-summarizer.ts");
  return await askedSummarizer(cli, options);
}
