import { deriveSessionContextState, type SessionContextState } from "../context/index.ts";
import { LaterState } from "../context/later-state.ts";
import { isToldByMessages, readStatePiece } from "../context/state-path.ts";
import type { StateBefore } from "../context/window.ts";
import { isBoughError } from "../errors.ts";
import type { SyncEntryLog } from "./entry-log.ts";
import { type Program, read, runSync } from "./program.ts";
import { SessionState } from "./session-state.ts";

/**
 * How contexts of a session find what only entries above their window tell, when they are asked for it. Undefined over a
 * log that can't be read at any time, during the session and after: there it is read with the window.
 */
export function earlierState(state: SessionState): StateBefore | undefined {
  const log = state.syncLog;
  const reopen = log?.reopen?.bind(log);
  if (log === undefined || reopen === undefined) return undefined;
  return ({ id }) =>
    new LaterState((piece) => {
      try {
        return runSync(pieceAt(state, id, piece), log);
      } catch (error) {
        if (!isBoughError(error, "closed")) throw error;
        return pieceOfClosed(reopen(), id, piece);
      }
    });
}

function pieceOfClosed<Piece extends keyof SessionContextState>(
  log: SyncEntryLog,
  id: string,
  piece: Piece,
): SessionContextState[Piece] {
  try {
    const state = new SessionState(log);
    runSync(state.refresh(), log);
    return runSync(pieceAt(state, id, piece), log);
  } finally {
    log.close();
  }
}

/** Throws `not_found` if the log was replaced by one that doesn't have the entry. */
function* pieceAt<Piece extends keyof SessionContextState>(
  state: SessionState,
  id: string,
  piece: Piece,
): Program<SessionContextState[Piece]> {
  state.requireHead(id);
  const path = isToldByMessages(piece) ? state.ascent(id) : state.ascentWithoutRuns(id);
  const entries = yield* readStatePiece(path, piece, read);
  return deriveSessionContextState(entries, { header: state.header })[piece];
}
