import { ReadonlySessionManager, readOnlyManagerOf } from "bough/session-manager";
import type { SessionReads } from "./extension-context.ts";
import type { SessionBinding } from "./session-binding.ts";

const names = Object.getOwnPropertyNames(ReadonlySessionManager.prototype).filter((name) => name !== "constructor");

/**
 * The session's reads as functions of a frozen object that has no other members and no prototype: nothing that changes
 * the session, or what another extension reads, can be reached from it.
 */
export function sessionReadsOf(binding: SessionBinding): SessionReads {
  const manager = readOnlyManagerOf(binding.session) as unknown as Record<string, (...args: unknown[]) => unknown>;
  const reads = Object.create(null);
  for (const name of names) {
    reads[name] = Object.freeze((...args: unknown[]) => {
      binding.requireCurrent();
      return manager[name]?.(...args);
    });
  }
  return Object.freeze(reads);
}
