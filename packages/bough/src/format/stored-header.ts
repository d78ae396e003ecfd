import { withExactNumbers } from "../entry/exact-numbers.ts";
import { frozen } from "../entry/frozen.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader } from "../entry/header.ts";
import { isJsonObject, type JsonObject } from "../entry/json.ts";
import { storedText } from "../entry/stored-text.ts";
import { SessionError } from "../errors.ts";
import { fromJulia, fromJuliaHeader, isJuliaHeader } from "./julia.ts";
import { readOhMyPi } from "./oh-my-pi.ts";
import type { Upgrade } from "./upgrade.ts";
import { upgradeHeaderV1, upgradeV1 } from "./upgrade-v1.ts";
import { upgradeV2 } from "./upgrade-v2.ts";

/** What may be done to a stored session: added to, only after it was rewritten in the current form, or nothing. */
export type SessionAccess = "append" | "migrate" | "read_only";

/** What the first record says about all that follow. */
export interface StoredHeader {
  readonly header: SessionHeader;
  /** As stored; 1 where there was none. */
  readonly version: number;
  readonly access: SessionAccess;
  /** From a stored record to the current form. */
  readonly upgrades: readonly Upgrade[];
}

const upgradesFrom: ReadonlyMap<number, readonly Upgrade[]> = new Map([
  [1, [upgradeV1, upgradeV2, readOhMyPi]],
  [2, [upgradeV2, readOhMyPi]],
]);

/** Throws `invalid_session` if the record is no header, `unsupported_version` if its version can't be a number of ours. */
export function readHeader(record: JsonObject, path?: string): StoredHeader {
  const source = path === undefined ? {} : { path };
  if (isForeignHeader(record)) throw unsupported(record.v, source);
  if (record.type !== "session" || typeof record.id !== "string" || record.id === "") {
    throw noHeader(path);
  }
  if (isJuliaHeader(record)) {
    const header = current(fromJuliaHeader(record));
    return { header, version: 1, access: "migrate", upgrades: [fromJulia, readOhMyPi] };
  }
  const version = record.version ?? 1;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) throw unsupported(version, source);
  const header = current(version === 1 ? upgradeHeaderV1(record) : record);
  return { header, version, access: accessOf(version), upgrades: upgradesFrom.get(version) ?? [readOhMyPi] };
}

export function noHeader(path?: string): SessionError<"invalid_session"> {
  return new SessionError("invalid_session", `${path ?? "The file"} has no session header`, {
    ...(path !== undefined && { path }),
    reason: "no_header",
  });
}

export function unsupported(version: unknown, source: { readonly path?: string }): SessionError {
  const named = typeof version === "number" ? `version ${version}` : "a version that is no number";
  return new SessionError("unsupported_version", `This session has ${named}.`, { ...source, version });
}

function accessOf(version: number): SessionAccess {
  if (version > CURRENT_SESSION_VERSION) return "read_only";
  return version === CURRENT_SESSION_VERSION ? "append" : "migrate";
}

/** pi's harness once wrote `{ v: 4, kind: "header" }`: a session, but not one of ours. */
function isForeignHeader(record: JsonObject): boolean {
  return record.kind === "header" && record.v === 4;
}

const isString = (value: unknown): boolean => typeof value === "string";
const optional: Readonly<Record<string, (value: unknown) => boolean>> = {
  parentSession: isString,
  parentSessionId: isString,
  provider: isString,
  modelId: isString,
  thinkingLevel: isString,
  title: isString,
  inheritedEntries: Number.isSafeInteger,
  metadata: isJsonObject,
};

/** Known fields of the wrong type say nothing; unknown ones stay. Frozen, as entries are. */
function current(record: JsonObject): SessionHeader {
  const fields = Object.entries(record).filter(([name, value]) => {
    return !Object.hasOwn(optional, name) || optional[name]?.(value) === true;
  });
  return frozen({
    ...(withExactNumbers(record, Object.fromEntries(fields)) as Partial<SessionHeader>),
    type: "session",
    version: CURRENT_SESSION_VERSION,
    id: record.id as string,
    timestamp: storedText(record.timestamp),
    cwd: storedText(record.cwd),
  });
}
