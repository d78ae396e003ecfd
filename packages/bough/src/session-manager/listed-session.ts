import { type RepoListOptions, SessionRepo } from "../session/session-repo.ts";
import type { SessionInfo } from "../session/session-store.ts";
import { JsonlStore } from "../storage/jsonl/index.ts";

/** A session as pi's lists show it. */
export interface ListedSession {
  readonly path: string;
  readonly id: string;
  readonly cwd: string;
  readonly name?: string;
  readonly parentSessionPath?: string;
  readonly created: Date;
  /** When the user or the model last said something. */
  readonly modified: Date;
  readonly messageCount: number;
  readonly firstMessage: string;
}

export type ListProgress = (done: number, total: number) => void;

/** Newest first, without sessions that can't be read. Rejects with the signal's reason. */
export async function listedSessions(root: string | undefined, options: RepoListOptions): Promise<ListedSession[]> {
  const store = new JsonlStore({ durability: "process", ...(root !== undefined && { root }) });
  return (await new SessionRepo({ store }).list(options)).map(listed);
}

function listed(info: SessionInfo): ListedSession {
  const { path = "", id, cwd, name, parentSession, messageCount, firstMessage } = info;
  return {
    path,
    id,
    cwd,
    ...(name !== undefined && { name }),
    ...(parentSession !== undefined && { parentSessionPath: parentSession }),
    created: new Date(info.created),
    modified: new Date(info.modified),
    messageCount,
    firstMessage,
  };
}
