import { AgentHarnessError, type Session, type SessionHost } from "bough";
import { acquireLease } from "bough/jsonl";

/** The right to run turns on a session. */
export interface Driver {
  release(): void;
}

const driven = new WeakMap<SessionHost, string>();

/**
 * One harness drives a session, of all processes where the session has a place on disk. Rejects with `busy` and the
 * holder. The right ends with the process.
 */
export async function becomeDriver(session: Session, doing: string): Promise<Driver> {
  const { host, ref } = session.storage;
  const { id } = session;
  const holder = driven.get(host);
  if (holder !== undefined) {
    throw new AgentHarnessError("busy", `Session ${id} is in use by this process (${holder})`, {
      id,
      holder: `process ${process.pid} (${holder})`,
    });
  }
  driven.set(host, doing);
  try {
    const lease = ref.location === undefined ? undefined : await acquireLease({ file: ref.location, id, doing });
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      driven.delete(host);
      lease?.release();
    };
    return { release };
  } catch (error) {
    driven.delete(host);
    throw error;
  }
}
