import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { sharedPath } from "../packages/bough/test/support/shared.ts";
import type { Contender, ListedSession, OpenSession, Place } from "./contenders/contender.ts";
import { type ContenderName, contenders, reference } from "./contenders.ts";
import { folderOf, generatedData, withScratch } from "./workplace.ts";

/**
 * `npm run bench:verify [-- --sizes 1000,10000] [--sessions 200] [FILE…]`: whether bough's faces and pi agree on contexts,
 * trees, forks and lists of the generated sessions and of real ones. Ends with 1 if they don't anywhere.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sizes: { type: "string", default: "1000,10000" }, sessions: { type: "string", default: "200" } },
});

const faces: readonly ContenderName[] = ["bough-jsonl", "bough-session-manager"];
const marks: ReadonlySet<string> = new Set(["label", "session_info", "leaf"]);
let disagreements = 0;

const pi = await contenders[reference].load(folderOf(reference));
for (const file of filesToCompare()) {
  for (const face of faces) await compareSession(file, face, await contenders[face].load(""));
}
for (const face of faces) await compareLists(face, await contenders[face].load(""));
process.stdout.write(disagreements === 0 ? "all agree\n" : `${disagreements} disagree\n`);
process.exitCode = disagreements === 0 ? 0 : 1;

function filesToCompare(): readonly string[] {
  if (positionals.length > 0) return positionals;
  const data = generatedData();
  const generated = values.sizes.split(",").flatMap((size) => {
    const entries = Number(size);
    const plans = [{}, { shape: "bough" }, { changesLevel: false }, { isCompacted: false }] as const;
    return plans.map((plan) => data.session({ entries, ...plan }));
  });
  const real = sharedPath("fixtures");
  if (real === undefined) process.stdout.write("no real sessions here: generated ones only\n");
  return [...generated, ...(real === undefined ? [] : readdirSync(real).map((name) => join(real, name)))];
}

/** Each side has a copy, since pi writes to what it opens. */
async function compareSession(file: string, face: ContenderName, bough: Contender): Promise<void> {
  await withScratch(async (scratch) => {
    const opened = async (engine: Contender, name: string) => {
      const copy = join(scratch, `${name}-${basename(file)}`);
      copyFileSync(file, copy);
      return await engine.open(copy, { folder: join(scratch, name) });
    };
    const theirs = await opened(pi, "pi");
    const ours = await opened(bough, "bough");
    const what = `${basename(file)}, ${face}`;
    say(`${what}: context`, await contextOf(theirs), await contextOf(ours));
    const isNamed = hasIds(file);
    say(`${what}: tree`, await treeOf(theirs, isNamed), await treeOf(ours, isNamed));
    const forks = { theirs: await theirs.fork?.(), ours: await ours.fork?.() };
    say(`${what}: fork`, forkIn(forks.theirs, isNamed), forkIn(forks.ours, isNamed));
    const place = { folder: scratch };
    say(`${what}: context of the fork`, await forkContext(forks.theirs, place), await forkContext(forks.ours, place));
    await ours.close?.();
  });
}

async function compareLists(face: ContenderName, bough: Contender): Promise<void> {
  const folder = generatedData().folder({ sessions: Number(values.sessions) });
  const [theirs, ours] = [await pi.list?.(folder), await bough.list?.(folder)];
  const what = `${basename(folder)}, ${face}: list`;
  say(what, listOf(theirs ?? []), listOf(ours ?? []));
  say(`${what}, times of the last message`, timesOf(theirs ?? []), timesOf(ours ?? []));
  if (face === "bough-session-manager") say(`${what}, texts`, textsOf(theirs ?? []), textsOf(ours ?? []));
}

function say(what: string, theirs: readonly string[], ours: readonly string[]): void {
  const at = theirs.findIndex((line, index) => line !== ours[index]);
  const agree = at === -1 && theirs.length === ours.length;
  if (!agree) disagreements++;
  process.stdout.write(`${agree ? "agree   " : "DISAGREE"} ${what} (${theirs.length})\n`);
  if (agree) return;
  const place = at === -1 ? theirs.length : at;
  process.stdout.write(`  pi:    ${excerpt(theirs[place])}\n  bough: ${excerpt(ours[place])}\n`);
}

function excerpt(line = "(nothing)"): string {
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

async function contextOf(session: OpenSession): Promise<string[]> {
  const { messages, model, thinkingLevel } = await session.context();
  return [JSON.stringify({ model, thinkingLevel }), ...messages.map((message) => JSON.stringify(message))];
}

/** pi's reading of a fork, whoever wrote it. */
async function forkContext(file: string | undefined, place: Place): Promise<string[]> {
  const { messages, model, thinkingLevel } = await (await pi.open(file as string, place)).context();
  return [JSON.stringify({ model, thinkingLevel }), ...messages.map((message) => sorted(withoutReferences(message)))];
}

async function treeOf(session: OpenSession, isNamed: boolean): Promise<string[]> {
  const lines: string[] = [];
  const depths = new Map<string | null, number>([[null, 0]]);
  await session.walk?.((id, parentId, label) => {
    const depth = (depths.get(parentId) ?? 0) + 1;
    depths.set(id, depth);
    lines.push(`${isNamed ? `${id} under ${parentId}` : `at depth ${depth}`}, ${label ?? "no label"}`);
  });
  return lines.sort();
}

/** Entries without their parents, which differ where a mark was one; then the labels. pi leaves a name behind that hangs beside the path. */
function forkIn(file: string | undefined, isNamed: boolean): string[] {
  if (file === undefined || !existsSync(file)) return [`no file ${file}`];
  const [, ...entries] = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const body = entries
    .filter(({ type }) => !marks.has(type))
    .map(({ parentId: _, id, firstKeptEntryId, ...entry }) =>
      sorted(withoutReferences(isNamed ? { ...entry, id, firstKeptEntryId } : entry)),
    );
  const labels = new Map(entries.filter(({ type }) => type === "label").map((entry) => [entry.targetId, entry.label]));
  return [...body, ...[...labels].map(([id, label]) => `${id} is labelled ${label}`).sort()];
}

/**
 * In a fork the leaf that a branch summary was written at stays behind: pi goes on naming it, bough names the nearest
 * entry that came along.
 */
function withoutReferences(value: unknown): object {
  const { fromId: _, ...rest } = value as { readonly fromId?: unknown };
  return rest;
}

/** The order of keys is the writer's own business. */
function sorted(value: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Files older than version 2 have no ids, and pi mints others each time. */
function hasIds(file: string): boolean {
  const start = readFileSync(file)
    .subarray(0, 1 << 16)
    .toString();
  return (JSON.parse(start.slice(0, start.indexOf("\n"))).version ?? 1) > 1;
}

/** What is said first may be cut short. */
function listOf(sessions: readonly ListedSession[]): string[] {
  const lines = sessions.map(({ path, id, cwd, name, messageCount, created, firstMessage }) => {
    const first = firstMessage.replace(/\s+/g, " ").trim().slice(0, 60);
    return JSON.stringify({ path, id, cwd, name, messageCount, created, first });
  });
  return lines.sort();
}

function textsOf(sessions: readonly ListedSession[]): string[] {
  return sessions.map(({ path, allMessagesText }) => `${basename(path)}: ${allMessagesText}`).sort();
}

function timesOf(sessions: readonly ListedSession[]): string[] {
  return sessions.map(({ path, modified }) => `${basename(path)}: ${modified.toISOString()}`).sort();
}
