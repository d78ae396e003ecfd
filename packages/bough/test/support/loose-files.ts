import { join } from "node:path";
import type { SessionHeader } from "../../src/entry/header.ts";
import { asyncLog } from "../../src/session/async-log.ts";
import type { EntryRecord } from "../../src/session/entry-log.ts";
import type { RecordSource, SessionRef, SessionStore, StoredSession } from "../../src/session/session-store.ts";
import { JsonlLog, type JsonlLogOptions } from "../../src/storage/jsonl/index.ts";

/** Session files by path, and nothing around them. */
export class LooseFiles implements SessionStore {
  readonly root: string;
  constructor(root: string) {
    this.root = root;
  }
  async create(header: SessionHeader, source: RecordSource): Promise<StoredSession> {
    const records: EntryRecord[] = [];
    for await (const batch of source) records.push(...batch);
    const path = join(this.root, `${header.id}.jsonl`);
    return { ref: { id: header.id, location: path }, log: asyncLog(JsonlLog.create(path, header, records, options)) };
  }
  async open(ref: SessionRef): Promise<StoredSession> {
    const path = ref.location as string;
    return { ref, log: asyncLog(JsonlLog.open(path, options)) };
  }
  async resolve(path: string): Promise<SessionRef> {
    return { id: path, location: path.includes("/") ? path : join(this.root, `${path}.jsonl`) };
  }
  async *list() {
    yield* [] as never[];
  }
  async remove(): Promise<void> {
    throw new Error("none");
  }
  async restore(): Promise<SessionRef> {
    throw new Error("none");
  }
  async purge(): Promise<number> {
    return 0;
  }
}
const options: JsonlLogOptions = { durability: "process" };
