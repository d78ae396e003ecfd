import { join } from "node:path";
import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/index.ts";
import {
  type Appended,
  asyncLog,
  type EntryLog,
  type LogChange,
  type Position,
  type RecordBatch,
  Session,
  SessionHost,
  SessionStorage,
  type SessionTreeEntry,
  user,
} from "../../src/index.ts";
import { outline } from "../../src/outline/index.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import { runProgram } from "../support/child.ts";
import { newStory, openStory } from "../support/stories.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Counts the bodies that are read through it. */
class CountingLog implements EntryLog {
  readonly #log: EntryLog;
  bodies = 0;

  constructor(log: EntryLog) {
    this.#log = log;
  }

  get header() {
    return this.#log.header;
  }

  async read(positions: readonly Position[]): Promise<readonly SessionTreeEntry[]> {
    this.bodies += positions.length;
    return await this.#log.read(positions);
  }

  changes = (): Promise<LogChange> => this.#log.changes();
  append = (batches: readonly RecordBatch[]): Promise<Appended> => this.#log.append(batches);
  sync = (): Promise<void> => this.#log.sync();
  close = (): Promise<void> => this.#log.close();
}

function chain(length: number, line: (at: number, parent: string) => string): string {
  return Array.from({ length }, (_, at) => line(at, at === 0 ? "-" : `e${at - 1}`)).join("\n");
}

test("HS-05 a context costs the bodies of its window, whatever the history, and is what the whole path gives", async () => {
  const history = chain(20_000, (at, parent) => `U(e${at},${parent},"200 chars")`);
  const { session, path } = await openStory(`${history}
    K(k1,e19999,e19990,"S")
    U(u1,k1,"now")`);
  const whole = buildSessionContext(await session.getBranch());
  const log = new CountingLog(asyncLog(JsonlLog.open(path, { durability: "process" })));
  const again = new Session(new SessionStorage(await SessionHost.open(log)));
  expect(log.bodies).toBe(0);
  expect(await again.buildContext()).toEqual(whole);
  expect(whole.messages).toHaveLength(12);
  // The model is not named in the window, so the heads say where to look for it.
  expect(log.bodies).toBeLessThan(40);
  await again.close();
});

test("HS-06 what an entry adds to the file is its own size, however long the session is", async () => {
  const { session, bytes } = await newStory();
  const added: number[] = [];
  for (let turn = 0; turn < 100; turn++) {
    const before = bytes().length;
    await session.appendMessage(user("x".repeat(1000)));
    for (let step = 0; step < 5; step++) await session.appendCustomEntry("progress", { step });
    added.push(bytes().length - before);
  }
  expect(Math.max(...added) - Math.min(...added)).toBeLessThan(40);
  expect(bytes().length).toBeLessThan(3 * 100 * 1500);
});

test("HS-08 EX-05 60,000 entries, most of them an application's own, are opened, told and drawn flat", {
  timeout: 120_000,
}, async () => {
  const own = chain(60_000, (at, parent) => (at % 5 === 0 ? `U(e${at},${parent},"x")` : `X(e${at},${parent},"s",1)`));
  const { session } = await openStory(own);
  expect((await session.buildContext()).messages).toHaveLength(12_000);
  const rows = outline(session.storage.host.state.tree, { leaf: session.leafId });
  expect(rows.length).toBeGreaterThan(12_000);
  expect(JSON.parse(JSON.stringify(rows))).toHaveLength(rows.length);
});

test("HS-04 a session that lives long forgets what its context doesn't need, and reads it back by id", async () => {
  const [results, heap] = process.env.BOUGH_CAMPAIGN ? [50_000, 128] : [4_000, 48];
  const program = join(import.meta.dirname, "programs/live-long.ts");
  const options = { env: { NODE_OPTIONS: `--max-old-space-size=${heap}` } };
  const { exitCode, stdout } = await runProgram(
    program,
    [join(temporaryFolder(), "long.jsonl"), `${results}`],
    options,
  );
  expect(exitCode).toBe(0);
  const [length, messages] = stdout.trim().split(" ").map(Number);
  expect(length).toBeGreaterThan(20_000);
  expect(messages).toBe(501);
});
