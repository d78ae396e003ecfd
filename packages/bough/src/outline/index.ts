export { storedText } from "../entry/stored-text.ts";
export { type DescribeOptions, describeEntry } from "./describe-entry.ts";
export { describeToolCall } from "./describe-tool-call.ts";
export {
  type FilterCandidate,
  isShown,
  type OutlineFilter,
  outlineFilters,
  type Reticence,
  reticenceOf,
} from "./filter.ts";
export { contentText, messageText, toolCallsOf } from "./message-text.ts";
export { type Guide, guideLimit, type OutlineOptions, type OutlineRow, outline } from "./outline.ts";
export { plainLine, plainText } from "./plain-text.ts";
export { type Matcher, matcherOf, searchableText } from "./search.ts";
