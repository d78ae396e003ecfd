/** A storage of one's own is a log of records: five methods, here over an array of lines. `bough/testing` tries it out. */
import * as bough from "bough";
import { jsonValue } from "bough/format";

class LineLog implements bough.EntryLog {
  readonly header = { type: "session", version: 3, id: "s1", timestamp: "", cwd: "/" } as const;
  readonly lines: string[] = [];
  #handedOut = 0;
  #isClosed = false;
  async changes(): Promise<bough.LogChange> {
    const lines = this.#open().slice(this.#handedOut);
    const heads = lines.map((line, at) => bough.headOf(JSON.parse(line), this.#handedOut + at));
    this.#handedOut = this.lines.length;
    return { kind: "grown", heads, diagnostics: [] };
  }
  async read(positions: readonly number[]) {
    const lines = this.#open();
    return positions.map((at) => bough.frozen(jsonValue(lines[at] as string) as bough.SessionTreeEntry));
  }
  async append(batches: readonly bough.RecordBatch[]): Promise<bough.Appended> {
    const lines = this.#open();
    for (const { json } of batches.flat()) lines.push(json);
    return { outcomes: batches.map(() => ({ status: "stored" })), change: await this.changes() };
  }
  async sync() {
    this.#open();
  }
  async close() {
    this.#isClosed = true;
  }
  #open(): string[] {
    if (this.#isClosed) throw new bough.SessionError("closed", "the log is closed", { id: this.header.id });
    return this.lines;
  }
}

const log = new LineLog();
const session = new bough.Session(new bough.SessionStorage(await bough.SessionHost.open(log)));
await session.appendMessages([bough.user("Where is this kept?"), bough.assistant("In an array.")]);
console.log(log.lines.length, (await session.buildContext()).messages.length);
