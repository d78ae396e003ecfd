import { dirname } from "node:path";
import type { Session } from "../session/session.ts";
import { ReadonlySessionManager } from "./readonly-session-manager.ts";

/**
 * The synchronous reads of an open `Session`, where it stands at the time of each. Every one throws `invalid_state` if the
 * session's storage can't be read synchronously.
 */
export function readOnlyManagerOf(session: Session): ReadonlySessionManager {
  const { host, ref } = session.storage;
  const { location: file } = ref;
  const cursor = {
    get leaf() {
      return session.leafId;
    },
  };
  return new ReadonlySessionManager({
    home: { cwd: session.header.cwd, ...(file !== undefined && { directory: dirname(file) }) },
    placed: {
      session: { state: host.state, cursor, read: (program) => host.readSync(program) },
      ...(file !== undefined && { file }),
    },
  });
}
