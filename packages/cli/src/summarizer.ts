import { extractiveSummarizer, type Summarizer } from "bough";

/** Who summarises where nobody named a model: the conversation's own words do. */
export function chosenSummarizer(): Summarizer {
  return extractiveSummarizer;
}
