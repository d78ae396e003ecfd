import { type Session, SessionError } from "bough";
import { pathTo, type ReadonlySessionTree } from "bough/tree";
import { shortId } from "./shown-name.ts";

/** The id of the entry that an argument names: `leaf`, `leaf~N`, `root`, `@LABEL`, an id, its start or end, or what is shown of it. */
export async function findEntry(session: Session, argument: string): Promise<string> {
  const tree = await session.readTree();
  const [, steps] = /^leaf(?:~(\d+))?$/.exec(argument) ?? [];
  if (argument === "leaf" || steps !== undefined) return onPath(tree, session.leafId, -1 - Number(steps ?? 0));
  if (argument === "root") return onPath(tree, session.leafId, 0);
  if (tree.has(argument)) return argument;
  const candidates = argument.startsWith("@") ? labelled(tree, argument.slice(1)) : similar(tree, argument);
  const [id] = candidates;
  if (id === undefined) throw notFound(argument.startsWith("@") ? "label" : "entry", argument);
  if (candidates.length > 1) {
    throw new SessionError("ambiguous", `${argument} fits several entries`, { id: argument, candidates });
  }
  return id;
}

/** The same of an entry that the conversation can go to. */
export async function findPlace(session: Session, argument: string): Promise<string> {
  const id = await findEntry(session, argument);
  if ((await session.readTree()).positionOf(id) !== undefined) return id;
  throw new SessionError("not_found", `${id} stands for no place in the conversation`, { what: "entry", id });
}

/** The same where words may follow. Of labels that begin alike the longest is meant: they may have blanks in them. */
export async function leadingPlace(
  session: Session,
  text: string,
): Promise<{ readonly id: string; readonly rest: string }> {
  const [first = ""] = text.split(/\s/, 1);
  const tree = await session.readTree();
  const fits = (label: string) => `${text} `.startsWith(`@${label} `);
  const labels = Array.from(tree.labels(), ([, { text: label }]) => label).filter(fits);
  const longest = labels.sort((a, b) => b.length - a.length)[0];
  const name = longest === undefined ? first : `@${longest}`;
  return { id: await findPlace(session, name), rest: text.slice(name.length).trim() };
}

function onPath(tree: ReadonlySessionTree, leafId: string | null, index: number): string {
  const head = pathTo(tree, leafId).heads.at(index);
  if (!head) throw notFound("entry", index === 0 ? "root" : `leaf~${-1 - index}`);
  return head.id;
}

function labelled(tree: ReadonlySessionTree, label: string): readonly string[] {
  const labels = Array.from(tree.labels());
  return labels.filter(([, { text }]) => text === label).map(([id]) => id);
}

function similar(tree: ReadonlySessionTree, part: string): readonly string[] {
  const fits = (id: string) => id.startsWith(part) || id.endsWith(part) || shortId(id) === part;
  return Array.from(tree.heads(), ({ id }) => id).filter(fits);
}

function notFound(what: "entry" | "label", id: string): SessionError<"not_found"> {
  return new SessionError("not_found", `no ${what} ${id}`, { what, id });
}
