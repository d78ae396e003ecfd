import { type Durability, type EntryLog, Session, SessionHost, SessionStorage } from "../../src/index.ts";
import { MemoryStore } from "../../src/storage/memory/index.ts";

/** A session over any log, as another process would have it. It has no store, so that it can't be forked. */
export async function sessionOn(log: EntryLog, durability: Durability = "process"): Promise<Session> {
  const host = await SessionHost.open(log, { durability });
  const adopt = () => Promise.reject(new Error("a session without a store has no forks"));
  return new Session(new SessionStorage(host, { store: new MemoryStore(), ref: { id: host.id }, adopt }));
}
