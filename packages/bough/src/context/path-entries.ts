import type { SessionTreeEntry } from "../entry/entry.ts";
import { SessionError } from "../errors.ts";
import { type Path, pathTo } from "../tree/path.ts";

export interface PathOptions {
  /** Refuse what a lenient read survives: an unknown leaf, a missing parent, a cycle. */
  readonly strict?: boolean;
}

/**
 * The entries from a root to `leafId`, root first; of several entries with one id the last counts. A path that leads
 * to a missing parent or into a cycle begins there, an unknown leaf has none; `strict` throws `not_found`,
 * `unknown_parent` or `invalid_session` instead.
 */
export function getPathEntries(
  entries: readonly SessionTreeEntry[],
  leafId: string | null,
  options: PathOptions = {},
): readonly SessionTreeEntry[] {
  const path = pathTo(new Map(entries.map((entry) => [entry.id, entry])), leafId);
  if (options.strict) refuseBroken(path, leafId);
  return path.heads;
}

function refuseBroken(path: Path<SessionTreeEntry>, leafId: string | null): void {
  if (leafId !== null && path.heads.length === 0) {
    throw new SessionError("not_found", `There is no entry ${leafId}`, { what: "entry", id: leafId });
  }
  if (path.cut === undefined) return;
  const { code, message } = path.cut;
  const parentId = path.heads[0]?.parentId;
  if (code === "orphan" && parentId) throw new SessionError("unknown_parent", message, { parentId });
  throw new SessionError("invalid_session", message, { reason: code });
}
