import { type Session, SessionError } from "bough";
import { pathTo } from "bough/tree";

/** The id of the entry that an argument names: `leaf`, `leaf~N`, `root`, `@LABEL`, an id, or its start or end. */
export function findEntry(session: Session, argument: string): string {
  const { tree } = session;
  const [, steps] = /^leaf(?:~(\d+))?$/.exec(argument) ?? [];
  if (argument === "leaf" || steps !== undefined) return onPath(session, -1 - Number(steps ?? 0), argument);
  if (argument === "root") return onPath(session, 0, argument);
  if (tree.has(argument)) return argument;
  const candidates = argument.startsWith("@") ? labelled(session, argument.slice(1)) : similar(session, argument);
  const [id] = candidates;
  if (id === undefined) throw notFound(argument.startsWith("@") ? "label" : "entry", argument);
  if (candidates.length > 1) {
    throw new SessionError("ambiguous", `${argument} fits several entries`, { id: argument, candidates });
  }
  return id;
}

function onPath(session: Session, index: number, argument: string): string {
  const head = pathTo(session.tree, session.leafId).heads.at(index);
  if (!head) throw notFound("entry", argument);
  return head.id;
}

function labelled(session: Session, label: string): readonly string[] {
  const labels = Array.from(session.tree.labels());
  return labels.filter(([, { text }]) => text === label).map(([id]) => id);
}

function similar(session: Session, part: string): readonly string[] {
  const { tree } = session;
  return Array.from(tree.heads(), ({ id }) => id).filter((id) => id.startsWith(part) || id.endsWith(part));
}

function notFound(what: "entry" | "label", id: string): SessionError<"not_found"> {
  return new SessionError("not_found", `no ${what} ${id}`, { what, id });
}
