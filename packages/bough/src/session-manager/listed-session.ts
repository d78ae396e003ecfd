import { isBoughError } from "../errors.ts";
import { type RepoListOptions, SessionRepo } from "../session/session-repo.ts";
import type { SessionInfo } from "../session/session-store.ts";
import { JsonlStore } from "../storage/jsonl/index.ts";
import { spokenText } from "../storage/jsonl/spoken-text.ts";

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
  /**
   * What users and models said, on all branches. Read from the file when it is asked for the first time, so it is no part of
   * copies of this object, nor of its JSON; empty if the session is gone by then.
   */
  readonly allMessagesText: string;
}

export type ListProgress = (done: number, total: number) => void;

/** Newest first, without sessions that can't be read. Rejects with the signal's reason. */
export async function listedSessions(root: string | undefined, options: RepoListOptions): Promise<ListedSession[]> {
  const store = new JsonlStore({ durability: "process", ...(root !== undefined && { root }) });
  return (await new SessionRepo({ store }).list(options)).map(listed);
}

function listed(info: SessionInfo): ListedSession {
  const { path = "", id, cwd, name, parentSession, messageCount, firstMessage } = info;
  const session = {
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
  return withText(session);
}

function withText(session: Omit<ListedSession, "allMessagesText">): ListedSession {
  let text: string | undefined;
  const get = () => {
    text ??= textOf(session.path);
    return text;
  };
  return Object.defineProperty(session, "allMessagesText", { get }) as ListedSession;
}

function textOf(path: string): string {
  try {
    return spokenText(path);
  } catch (error) {
    if (isBoughError(error, "not_found")) return "";
    throw error;
  }
}
