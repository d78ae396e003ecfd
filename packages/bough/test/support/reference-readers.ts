/**
 * Two readers of session files, each small enough to be checked by eye, that share nothing with bough: pi's, for which
 * the last line is the leaf whatever it is, and the harness's, which honours `leaf` lines. Both answer with the ids of
 * the entries that a model is told, the summary first. A file is well written if both tell the same story.
 */
export interface Told {
  readonly ids: readonly string[];
  readonly model: string | null;
  readonly thinkingLevel: string;
}

interface Line {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly [field: string]: unknown;
}

export function readAsPi(jsonl: string): Told {
  const lines = linesOf(jsonl);
  return told(lines, lines.at(-1)?.id ?? null);
}

export function readAsHarness(jsonl: string): Told {
  const lines = linesOf(jsonl);
  let leaf: string | null = null;
  for (const line of lines) leaf = line.type === "leaf" ? (line.targetId as string | null) : line.id;
  return told(lines, leaf);
}

function linesOf(jsonl: string): Line[] {
  const lines = jsonl.split("\n").filter((line) => line !== "");
  return lines.slice(1).map((line) => JSON.parse(line));
}

function told(lines: readonly Line[], leaf: string | null): Told {
  const byId = new Map(lines.map((line) => [line.id, line]));
  const path: Line[] = [];
  for (let at = leaf; at !== null; at = byId.get(at)?.parentId ?? null) {
    const line = byId.get(at);
    if (line === undefined) break;
    path.unshift(line);
  }
  return {
    ids: selected(path)
      .filter(speaks)
      .map((line) => line.id),
    ...stateOf(path),
  };
}

function selected(path: readonly Line[]): readonly Line[] {
  const last = path.findLastIndex((line) => line.type === "compaction");
  if (last < 0) return path;
  const compaction = path[last] as Line;
  const kept = path.findIndex((line) => line.id === compaction.firstKeptEntryId);
  const before = kept < 0 ? [] : path.slice(kept, last).filter((line) => line.type !== "compaction");
  return [compaction, ...before, ...path.slice(last + 1)];
}

function speaks(line: Line): boolean {
  if (line.type === "branch_summary") return line.summary !== "";
  return ["message", "custom_message", "compaction"].includes(line.type);
}

function stateOf(path: readonly Line[]): Omit<Told, "ids"> {
  let model: string | null = null;
  let thinkingLevel = "off";
  for (const line of path) {
    const message = line.message as { role?: string; provider?: string; model?: string } | undefined;
    if (line.type === "model_change") model = `${line.provider}/${line.modelId}`;
    if (message?.role === "assistant") model = `${message.provider}/${message.model}`;
    if (line.type === "thinking_level_change") thinkingLevel = line.thinkingLevel as string;
  }
  return { model, thinkingLevel };
}
