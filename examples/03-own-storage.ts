/** A storage of one's own is a log of records: five methods, here over an array of lines. */
import {
  type Appended,
  assistant,
  CURRENT_SESSION_VERSION,
  type EntryLog,
  frozen,
  headOf,
  type LogChange,
  type RecordBatch,
  Session,
  SessionHost,
  SessionStorage,
  user,
} from "bough";

class LineLog implements EntryLog {
  readonly header = { type: "session", version: CURRENT_SESSION_VERSION, id: "s1", timestamp: "", cwd: "/" } as const;
  readonly lines: string[] = [];
  #handedOut = 0;
  async changes(): Promise<LogChange> {
    const heads = this.lines.slice(this.#handedOut).map((line, at) => headOf(JSON.parse(line), this.#handedOut + at));
    this.#handedOut = this.lines.length;
    return { kind: "grown", heads, diagnostics: [] };
  }
  async read(positions: readonly number[]) {
    return positions.map((position) => frozen(JSON.parse(this.lines[position] as string)));
  }
  async append(batches: readonly RecordBatch[]): Promise<Appended> {
    for (const record of batches.flat()) this.lines.push(record.json);
    return { outcomes: batches.map(() => ({ status: "stored" })), change: await this.changes() };
  }
  readonly sync = () => Promise.resolve();
  readonly close = () => Promise.resolve();
}

const log = new LineLog();
const session = new Session(new SessionStorage(await SessionHost.open(log)));
await session.appendMessages([user("Where is this kept?"), assistant("In an array.")]);
console.log(log.lines.length, (await session.buildContext()).messages.length);
