import { appendFileSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asyncLog, isBoughError, type Session, user as said } from "../../src/index.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import { Random } from "../../src/testing/random.ts";
import { header, user } from "../storage/jsonl/records.ts";
import { sessionOn } from "../support/session-on.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/*
 * What other programs do to a file that two sessions have open, and what has to be true whatever that was: what was
 * acknowledged is in the file, both sessions see what a third one sees that opens it now, and nothing that was written
 * hangs from what is not there.
 */

const runs = process.env.BOUGH_CAMPAIGN ? 10_000 : 150;
const acts = 14;

class World {
  readonly path = join(temporaryFolder(), "session.jsonl");
  readonly acknowledged = new Set<string>();
  readonly #random: Random;
  readonly #snapshots: Buffer[] = [];
  /** How long the file was when a session looked at it. */
  readonly #sizes = new Set<number>();
  #written = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    writeFileSync(this.path, `${JSON.stringify(header)}\n${user("first").json}\n`);
  }

  async openAt(): Promise<Session> {
    return await sessionOn(asyncLog(JsonlLog.open(this.path, { durability: "process" })));
  }

  async act(sessions: readonly Session[]): Promise<void> {
    const session = this.#random.pick(sessions);
    if (this.#random.chance(0.5)) await this.#append(session);
    else if (this.#random.chance(0.3)) await session.refresh({ follow: this.#random.chance(0.5) });
    else this.#harm();
    this.#grow();
    if (this.#random.chance(0.3)) this.#snapshots.push(readFileSync(this.path));
  }

  async #append(session: Session): Promise<void> {
    const text = "x".repeat(this.#random.integer(300));
    try {
      const id = this.#random.chance(0.8)
        ? await session.appendMessage(said(text))
        : await session.appendSessionName(text);
      this.acknowledged.add(id);
    } catch (error) {
      if (!isBoughError(error, "unknown_parent")) throw error;
      await session.refresh({ follow: true });
    }
  }

  #harm(): void {
    const bytes = readFileSync(this.path);
    const lines = bytes.toString().split("\n");
    const line = user(`f${++this.#written}`, "first", "y".repeat(this.#random.integer(300))).json;
    const stale = this.#snapshots.length > 0 ? this.#random.pick(this.#snapshots) : bytes;
    switch (this.#random.integer(7)) {
      case 0:
        appendFileSync(this.path, `${line}\n`);
        break;
      case 1:
        appendFileSync(this.path, line.slice(0, this.#random.integer(line.length)));
        break;
      case 2:
        truncateSync(this.path, Math.max(bytes.indexOf("\n") + 1, bytes.length - this.#random.integer(900)));
        break;
      case 3:
        writeFileSync(this.path, stale);
        break;
      case 4:
        writeFileSync(this.path, Buffer.concat([stale, Buffer.from(`\n${line}\n`)]));
        break;
      case 5:
        this.#replace(stale);
        break;
      default: {
        const taken = `"id":"f${this.#random.integer(this.#written) + 1}"`;
        this.#replace(
          `${lines
            .filter((each) => !each.includes(taken))
            .join("\n")
            .trimEnd()}\n`,
        );
      }
    }
  }

  /** What has no newline yet may still be on its way to who has the file open. */
  endLine(): void {
    appendFileSync(this.path, "\n");
    this.#grow();
  }

  /** A file of exactly the length that was known once may be believed to be as it was. */
  #grow(): void {
    while (this.#sizes.has(statSync(this.path).size)) appendFileSync(this.path, "\n\n");
    this.#sizes.add(statSync(this.path).size);
  }

  #replace(content: string | Buffer): void {
    writeFileSync(`${this.path}.new`, content);
    renameSync(`${this.path}.new`, this.path);
  }
}

const shown = (entries: readonly { readonly id: string; readonly type: string }[]) =>
  entries.map(({ id, type }) => `${id} ${type}`);

test(`nothing that was acknowledged is lost, whatever others do to the file (${runs} times)`, async () => {
  for (let seed = 1; seed <= runs; seed++) {
    const world = new World(seed);
    const sessions = [await world.openAt(), await world.openAt()];
    for (let act = 0; act < acts; act++) await world.act(sessions);
    world.endLine();
    for (const session of [...sessions, ...sessions]) await session.flush();
    for (const session of sessions) await session.refresh();
    const fresh = await world.openAt();
    const entries = await fresh.getEntries();
    const whole = new Set(entries.filter(({ type }) => type !== "damaged").map(({ id }) => id));
    for (const id of world.acknowledged) expect(whole.has(id), `seed ${seed}: ${id}`).toBe(true);
    for (const session of sessions) expect(shown(await session.getEntries()), `seed ${seed}`).toEqual(shown(entries));
    await Promise.all([...sessions, fresh].map((session) => session.close()));
  }
});
