import { buildContextEntries, buildSessionContext } from "../context/context.ts";
import { sessionEntryToContextMessages } from "../context/entry-messages.ts";
import type { SessionContextBuildOptions } from "../context/options.ts";
import { selectEntries } from "../context/selection.ts";
import { joinedSystemMessage } from "../context/system-prompt.ts";
import type { CompactionEntry, SessionTreeEntry } from "../entry/entry.ts";
import type { AgentMessage, SystemMessage } from "../entry/message.ts";
import { type CompactionSettings, compactionSettings } from "./compaction-policy.ts";
import { type CutItem, cutPoint, type Keep, splitTurnStart } from "./cut-point.ts";
import {
  type FileOperations,
  fileOperationsIn,
  joinedFiles,
  storedFiles,
  withoutFileLists,
} from "./file-operations.ts";
import { estimateTokens, sumTokens, type TokenEstimator } from "./token-estimate.ts";

export interface PrepareOptions {
  readonly settings?: Partial<CompactionSettings>;
  /** The setting's tokens unless given. */
  readonly keep?: Keep;
  readonly estimate?: TokenEstimator;
  /** What contexts of the session are built with. */
  readonly context?: SessionContextBuildOptions;
}

/** What a compaction at the end of a path would summarise, and what it would keep. */
export interface CompactionPreparation {
  /** Where the path ends. */
  readonly leafId: string;
  /** The first entry that stays word for word; absent if none does. */
  readonly firstKeptEntryId?: string;
  /** Whole turns, what the compaction before kept included; no summaries of compactions and no system messages. */
  readonly messagesToSummarize: readonly AgentMessage[];
  /** The beginning of the turn that the cut goes through. */
  readonly turnPrefixMessages: readonly AgentMessage[];
  readonly isSplitTurn: boolean;
  /** Of the compaction before, without its lists of files. */
  readonly previousSummary?: string;
  /** Of what is summarised and of bough's own summaries before it. */
  readonly files: FileOperations;
  /** Entries of the path, in its order; together all that the context at the leaf is made of but summaries. */
  readonly coveredIds: readonly string[];
  readonly keptIds: readonly string[];
  /** Estimates, all by the same measure: of the whole context, of what is summarised (the summary before included), of what stays. */
  readonly tokensBefore: number;
  readonly coveredTokens: number;
  readonly keptTokens: number;
  /** Whether more stays than was asked for, because calls and results stay together or one entry is too large. */
  readonly isOverBudget: boolean;
  /** What the path's system messages add up to: the compaction has to carry it. */
  readonly systemMessage?: SystemMessage;
}

/**
 * Plans a compaction at the end of `path`, which may be whole or what `Session.getActivePath` reads of it. Undefined if
 * there is nothing to summarise: the path ends in a compaction, or all of it would be kept.
 */
export function prepareCompaction(
  path: readonly SessionTreeEntry[],
  options: PrepareOptions = {},
): CompactionPreparation | undefined {
  const leaf = path.at(-1);
  if (leaf === undefined || leaf.type === "compaction") return undefined;
  const settings = compactionSettings(options.settings);
  const { keep = { tokens: settings.keepRecentTokens }, estimate = estimateTokens, context = {} } = options;
  const { compaction, tail, items } = itemsOf(path, context, estimate);
  const cut = cutPoint(tail === undefined ? items : [tail, ...items], keep, settings.reserveTokens);
  const first = tail === undefined ? cut : cut - 1;
  const split = splitTurnStart(items, first);
  const [history, prefix, kept] = parted(items, split ?? first, first);
  const messagesToSummarize = [...(tail?.messages ?? []), ...messagesOf(history)];
  const turnPrefixMessages = messagesOf(prefix);
  if (cut === 0 || messagesToSummarize.length + turnPrefixMessages.length === 0) return undefined;
  const covered = [...messagesToSummarize, ...turnPrefixMessages];
  const keptTokens = sumTokens(messagesOf(kept), estimate);
  const { messages } = buildSessionContext(path, context);
  const systemMessage = joinedSystemMessage(messages);
  const previousSummary = withoutFileLists(compaction?.summary ?? "");
  const summaries = messages.filter((message) => message.role === "compactionSummary");
  return {
    leafId: leaf.id,
    ...(kept[0] && { firstKeptEntryId: kept[0].entry.id }),
    messagesToSummarize,
    turnPrefixMessages,
    isSplitTurn: split !== undefined,
    ...(previousSummary.trim() !== "" && { previousSummary }),
    files: joinedFiles(earlierFiles(compaction), fileOperationsIn(covered)),
    coveredIds: [...history, ...prefix].map(({ entry }) => entry.id),
    keptIds: kept.map(({ entry }) => entry.id),
    tokensBefore: sumTokens(messages, estimate),
    coveredTokens: sumTokens(covered, estimate) + sumTokens(summaries, estimate),
    keptTokens,
    isOverBudget: "tokens" in keep && keptTokens > keep.tokens,
    ...(systemMessage && { systemMessage }),
  };
}

interface Item extends CutItem {
  readonly entry: SessionTreeEntry;
}

interface Items {
  readonly compaction?: CompactionEntry;
  /** What the compaction keeps inline. No pointer reaches it, so it is always summarised. */
  readonly tail?: CutItem;
  readonly items: readonly Item[];
}

/** Entries that transforms and edits leave out of the context take part without messages. */
function itemsOf(
  path: readonly SessionTreeEntry[],
  context: SessionContextBuildOptions,
  estimate: TokenEstimator,
): Items {
  const { compaction, kept, after } = selectEntries(path);
  const shown = buildContextEntries(path, context);
  const places = new Map(shown.map((entry, index) => [entry.id, index]));
  const messagesOfEntry = ({ id }: SessionTreeEntry) => {
    const index = places.get(id);
    if (index === undefined) return [];
    return sessionEntryToContextMessages(shown[index] as SessionTreeEntry, index, shown, context).filter(isSummarised);
  };
  const items = [...kept, ...after].map((entry) => {
    const messages = messagesOfEntry(entry);
    return { entry, messages, tokens: sumTokens(messages, estimate) };
  });
  const inline = compaction ? messagesOfEntry(compaction) : [];
  const tail = inline.length > 0 && { messages: inline, tokens: sumTokens(inline, estimate) };
  return { ...(compaction && { compaction }), ...(tail && { tail }), items };
}

/** Summaries go on as the previous one, the prompt as itself, and what the user excluded stays out. */
function isSummarised(message: AgentMessage): boolean {
  if (message.role === "bashExecution") return message.excludeFromContext !== true;
  return message.role !== "system" && message.role !== "compactionSummary";
}

function parted<T>(items: readonly T[], first: number, second: number): readonly [T[], T[], T[]] {
  return [items.slice(0, first), items.slice(first, second), items.slice(second)];
}

function messagesOf(items: readonly CutItem[]): readonly AgentMessage[] {
  return items.flatMap((item) => item.messages);
}

/** What a hook's or an extension's summary lists is not bough's to carry on. */
function earlierFiles(compaction: CompactionEntry | undefined): FileOperations {
  return storedFiles(isOwn(compaction) ? compaction?.details : undefined);
}

/** Whether a summary was written by the agent itself; oh-my-pi says `fromExtension`. */
export function isOwn(entry: object | undefined): boolean {
  const { fromHook, fromExtension } = (entry ?? {}) as {
    readonly fromHook?: unknown;
    readonly fromExtension?: unknown;
  };
  return fromHook !== true && fromExtension !== true;
}
