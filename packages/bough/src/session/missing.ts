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
