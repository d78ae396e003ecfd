import type { Session } from "bough";
import { type OutlineFilter, type OutlineRow, outline } from "bough/outline";
import type { Cli } from "../cli.ts";
import { explainDiagnostics } from "../diagnostics.ts";
import { droppedBy } from "../dropped.ts";
import { findEntry } from "../entry-argument.ts";
import type { Output } from "../output.ts";
import { Progress } from "../progress.ts";
import { withSession } from "../session-argument.ts";
import { drawRow } from "../tree-drawing.ts";
import { surveyTree } from "../tree-survey.ts";
import { writeJson } from "../write-json.ts";

export interface TreeOptions {
  readonly filter?: OutlineFilter;
  readonly search?: string;
  readonly at?: string;
  readonly dropped?: string;
  readonly json?: true;
}

export async function tree(cli: Cli, [argument]: readonly string[], options: TreeOptions): Promise<undefined> {
  await withSession(cli, argument, async (session) => {
    const at = options.at === undefined ? undefined : await findEntry(session, options.at);
    await showTree(cli, at === undefined ? session : await standingAt(session, at), options, at);
  });
}

/** The session as it is if the entry stands for no place in the conversation: what is damaged, and marks that lead nowhere. */
async function standingAt(session: Session, id: string): Promise<Session> {
  const tree = await session.readTree();
  return tree.positionOf(id) === undefined ? session : session.at(id);
}

/** `at`: an entry to show and mark, whatever else is shown. */
export async function showTree(cli: Cli, session: Session, options: TreeOptions, at?: string): Promise<void> {
  const { filter = "default", search = "", json } = options;
  const always = new Set([at, at && session.leafId].filter((id) => typeof id === "string"));
  const among = options.dropped === undefined ? undefined : await droppedIds(session, options.dropped);
  const progress = new Progress(cli.stderr);
  const survey = { filter, search, always, progress, signal: cli.signal, ...(among && { among }) };
  const lines = await surveyTree(session, survey);
  const tree = await session.readTree();
  const rows = outline(tree, {
    leaf: session.leafId,
    isVisible: ({ id }) => lines.has(id),
  });
  const { diagnostics } = session;
  if (json) {
    const described = rows.map((row) => jsonRow(row, lines.get(row.id) as string));
    await writeJson(cli.stdout, { leafId: session.leafId, rows: described, diagnostics });
    return;
  }
  await cli.stdout.writeAll(drawnRows(rows, { lines, leafId: session.leafId, at }, cli.stdout));
  if (rows.length === 0) await cli.stderr.line(emptyTree(tree.size, options));
  await explainDiagnostics(cli, diagnostics);
}

async function droppedIds(session: Session, compaction: string): Promise<ReadonlySet<string>> {
  const dropped = await droppedBy(session, await findEntry(session, compaction));
  return new Set(dropped.map((entry) => entry.id));
}

interface Shown {
  readonly lines: ReadonlyMap<string, string>;
  readonly leafId: string | null;
  readonly at: string | undefined;
}

function* drawnRows(rows: readonly OutlineRow[], { lines, leafId, at }: Shown, output: Output): Generator<string> {
  for (const row of rows) {
    const content = { text: lines.get(row.id) as string, isLeaf: row.id === leafId, isNamed: row.id === at };
    yield `${drawRow(row, content, output)}\n`;
  }
}

function jsonRow(row: OutlineRow, text: string): object {
  const { id, parentId, depth, type, role, label, onActivePath } = row;
  return { id, parentId, depth, type, role, label, onActivePath, text };
}

function emptyTree(size: number, { filter = "default", search }: TreeOptions): string {
  if (size === 0) return "The session has no entries yet.";
  const reason = search === undefined ? `the filter ${filter}` : `the filter ${filter} and the search`;
  return `None of ${size} entries passes ${reason}; \`--filter all\` shows them all.`;
}
