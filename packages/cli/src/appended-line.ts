import { completeMessage, type MessageInput, type Session, SessionError, type SessionTreeEntry } from "bough";
import { jsonValue } from "bough/format";

/** A line of standard input: a JSON object with a `type` is an entry, one with a `role` a message. */
export type AppendedLine = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Undefined for a blank line. Throws `invalid_entry`. */
export function parseLine(bytes: Uint8Array): AppendedLine | undefined {
  const value = jsonOf(bytes);
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused("it is no JSON object");
  const line = value as AppendedLine;
  if (typeof line.type !== "string" && typeof line.role !== "string") throw refused("it has neither a type nor a role");
  return line;
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    const text = decoder.decode(bytes).trim();
    return text === "" ? undefined : jsonValue(text);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : "it is no JSON");
  }
}

export interface Surroundings {
  readonly session: Session;
  /** The parent of what names none. */
  readonly leafId: string | null;
  /** An entry that has the line's id already: what the line leaves out is as it is there. */
  readonly twin: SessionTreeEntry | undefined;
}

/** The whole entry that a line stands for. */
export async function completeEntry(line: AppendedLine, around: Surroundings): Promise<SessionTreeEntry> {
  const { id = await around.session.storage.createEntryId(), parentId = defaultParent(line, around), ...rest } = line;
  if (typeof rest.type !== "string") {
    const place = { id, parentId, timestamp: around.twin?.timestamp ?? timeOf(rest) };
    return { type: "message", ...place, message: completed(rest, around) } as SessionTreeEntry;
  }
  const { type, timestamp = around.twin?.timestamp ?? new Date().toISOString(), ...body } = rest;
  return { type, id, parentId, timestamp, ...body, ...completedBody(rest, around) } as unknown as SessionTreeEntry;
}

/** A message that says when it was made was made then. */
function timeOf({ timestamp }: AppendedLine): string {
  const time = new Date(typeof timestamp === "number" ? timestamp : Date.now());
  return (Number.isNaN(time.getTime()) ? new Date() : time).toISOString();
}

function defaultParent(line: AppendedLine, { leafId, twin }: Surroundings): unknown {
  if (twin) return twin.parentId;
  return line.type === "leaf" ? line.targetId : leafId;
}

function completedBody(rest: AppendedLine, around: Surroundings): { readonly message?: unknown } {
  const { type, message } = rest;
  const isMessage = type === "message" && typeof message === "object" && message !== null;
  return isMessage ? { message: completed(message as AppendedLine, around) } : {};
}

function completed(message: AppendedLine, { twin }: Surroundings): unknown {
  const now = twin?.type === "message" ? twin.message.timestamp : Date.now();
  return completeMessage(message as unknown as MessageInput, now);
}

function refused(reason: string): SessionError<"invalid_entry"> {
  return new SessionError("invalid_entry", reason, { field: "line", reason });
}
