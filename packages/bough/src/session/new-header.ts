import { CURRENT_SESSION_VERSION, isSessionId, type SessionHeader, type SessionMetadata } from "../entry/header.ts";
import { jsonCopy } from "../entry/json.ts";
import { SessionError } from "../errors.ts";
import { type EntryFactory, systemFactory } from "./entry-factory.ts";

export interface CreateOptions<TMetadata extends SessionMetadata = SessionMetadata> {
  /** Letters, digits, `.`, `_`, `-`, at most 200, the ends letters or digits; minted unless given. */
  readonly id?: string;
  readonly cwd?: string;
  readonly metadata?: TMetadata;
  /** Path of the session this one continues. */
  readonly parentSession?: string;
}

/** The header of a session that begins now. Throws `invalid_session` for an id that no store could keep. */
export function newHeader<TMetadata extends SessionMetadata>(
  { id, cwd = "", metadata, parentSession }: CreateOptions<TMetadata>,
  factory: EntryFactory = systemFactory,
): SessionHeader<TMetadata> {
  if (id !== undefined) requireSessionId(id);
  return {
    type: "session",
    version: CURRENT_SESSION_VERSION,
    id: id ?? factory.newId(),
    timestamp: new Date(factory.now()).toISOString(),
    cwd,
    ...(parentSession !== undefined && { parentSession }),
    ...(metadata && { metadata: jsonCopy(metadata) }),
  };
}

/** Throws `invalid_session`. */
export function requireSessionId(id: string): void {
  if (isSessionId(id)) return;
  const reason = "a session id has up to 200 letters, digits, '.', '_' and '-', a letter or digit at each end";
  throw new SessionError("invalid_session", `${JSON.stringify(id)}: ${reason}`, { reason });
}
