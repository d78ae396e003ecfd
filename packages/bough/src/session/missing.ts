import { SessionError } from "../errors.ts";

export function noEntry(id: string): SessionError<"not_found"> {
  return new SessionError("not_found", `no entry ${id}`, { what: "entry", id });
}

export function closedSession(id: string): SessionError<"closed"> {
  return new SessionError("closed", `session ${id} is closed`, { id });
}

export function noSession(id: string): SessionError<"not_found"> {
  return new SessionError("not_found", `no session ${id}`, { what: "session", id });
}

export function sessionExists(id: string): SessionError<"already_exists"> {
  return new SessionError("already_exists", `there is a session ${id} already`, { what: "session", id });
}

/** Of what hangs from an entry that is not there, or not any more. */
export function unknownParent(parentId: string): SessionError<"unknown_parent"> {
  return new SessionError("unknown_parent", `no entry ${parentId} is there to hang from`, { parentId });
}
