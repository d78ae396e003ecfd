import { rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { JsonlLog } from "../../../src/storage/jsonl/index.ts";
import { runProgram } from "../../support/child.ts";
import { hasMemoryDisk, memoryFolder } from "../../support/memory-disk.ts";
import { type Running, startProgram } from "../../support/running.ts";
import { codesOf, header, idsOf, opened, statusesOf, user } from "./records.ts";

const program = resolve(import.meta.dirname, "programs/append-until-killed.ts");
const kills = process.env.BOUGH_CAMPAIGN ? 10_000 : 200;
const enoughTornTails = kills / 5;
/** Where kills tear less often there are more of them, up to so many. */
const mostKills = 3 * kills;
const killsPerFile = 4;
const [smallest, largest] = [64 << 10, 1 << 20];

// What was compiled is kept only by a process that ends by itself, so one does that first, without a file to append to.
beforeAll(async () => {
  if (!hasMemoryDisk) return;
  vi.stubEnv("NODE_COMPILE_CACHE", join("/dev/shm", `bough-compiled-${process.pid}`));
  await runProgram(program, [join("/dev/shm", `bough-none-${process.pid}.jsonl`), "k", "16", "16"]);
});
afterAll(() => {
  if (!hasMemoryDisk) return;
  rmSync(process.env.NODE_COMPILE_CACHE as string, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

/** One session file that processes are killed over, again and again. */
class Victim {
  readonly #path: string;
  readonly #acked = new Set<string>();
  #known: ReadonlySet<string> = new Set();
  #started = 0;
  #kills = 0;
  tornTails = 0;

  constructor(path: string) {
    this.#path = path;
    JsonlLog.create(path, header, [], { durability: "process" }).close();
  }

  get ackedCount(): number {
    return this.#acked.size;
  }

  /** The next process, which waits for its turn. */
  start(): Running {
    const prefix = `k${this.#started++}`;
    return startProgram(program, [this.#path, prefix, String(smallest), String(largest)]);
  }

  /** Lets the process append, kills it at some moment, and looks at what it left. */
  async kill(writer: Running): Promise<void> {
    writer.end();
    this.#acked.add(await writer.nextLine());
    if (Math.random() < 0.7) waitForWrite(this.#path);
    else waitFor(Math.random() * 2);
    writer.signal("SIGKILL");
    for await (const id of writer.rest()) this.#acked.add(id);
    this.#check();
  }

  #check(): void {
    const round = ++this.#kills;
    const { log, first } = opened(this.#path);
    const found = new Set(idsOf(first.heads));
    for (const id of [...this.#acked, ...this.#known]) expect(found, `after kill ${round}`).toContain(id);
    for (const id of found) expect(id).toMatch(/^(k\d+-\d+|after-\d+)$/);
    if (codesOf(first).includes("torn_tail")) this.tornTails++;
    const { outcomes } = log.append([[user(`after-${round}`)]]);
    expect(outcomes).toEqual([{ status: "stored" }]);
    log.close();
    this.#known = found.add(`after-${round}`);
  }

  /** Every acknowledged record, read back whole. */
  readAll(): void {
    const { log, first } = opened(this.#path);
    const heads = first.heads.filter(({ id }) => this.#acked.has(id));
    expect(heads.length).toBe(this.#acked.size);
    for (const head of heads) {
      const [entry] = log.read([head.position]);
      if (entry?.type !== "message" || entry.message.role !== "user") throw new Error(`${head.id} is ${entry?.type}`);
      expect(entry.message.content.length).toBe(entry.message.timestamp);
    }
    expect(statusesOf(log.append([]))).toEqual([]);
    log.close();
  }
}

/** Until somebody is writing: the file grows page by page. */
function waitForWrite(path: string): void {
  const { size } = statSync(path);
  const until = performance.now() + 200;
  while (performance.now() < until && statSync(path).size === size);
}

function waitFor(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

test.skipIf(!hasMemoryDisk)(
  "CR-01 a process killed while it appends costs no acknowledged record and hides none (skipped without a tmpfs, where writes do not tear)",
  { timeout: process.env.BOUGH_CAMPAIGN ? 3_600_000 : 240_000 },
  async () => {
    const folder = memoryFolder();
    let tornTails = 0;
    let acked = 0;
    let killed = 0;
    while (killed < kills || (tornTails < enoughTornTails && killed < mostKills)) {
      const path = join(folder, `${killed}.jsonl`);
      const victim = new Victim(path);
      let next = victim.start();
      for (let kill = 1; kill <= killsPerFile; kill++) {
        await using writer = next;
        if (kill < killsPerFile) next = victim.start();
        await victim.kill(writer);
      }
      killed += killsPerFile;
      victim.readAll();
      tornTails += victim.tornTails;
      acked += victim.ackedCount;
      rmSync(path);
    }
    console.info(`${killed} kills, ${tornTails} torn tails, ${acked} acknowledged records, none lost`);
    expect(tornTails, "too few torn writes for the kills to say anything").toBeGreaterThanOrEqual(enoughTornTails);
  },
);
