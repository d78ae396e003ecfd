import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { isBoughError } from "../../../src/errors.ts";
import { asyncLog } from "../../../src/session/async-log.ts";
import { JsonlLog } from "../../../src/storage/jsonl/index.ts";
import { sessionOn } from "../../support/session-on.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { errnoError, FaultAt, interceptedFileSystem, type Moment } from "./faulty-file-system.ts";
import { codesOf, header, idsIn, idsOf, opened, statusesOf, user } from "./records.ts";

const base = [header, user("u1").entry, user("u2", "u1").entry].map((record) => `${JSON.stringify(record)}\n`).join("");

function sessionFile(text = base): string {
  const path = join(temporaryFolder(), "s.jsonl");
  writeFileSync(path, text);
  return path;
}

const expectedCodes: Readonly<Record<string, readonly string[]>> = {
  EIO: ["storage_io"],
  ESTALE: ["storage_io"],
  EMFILE: ["storage_io"],
  EROFS: ["storage_denied"],
  EACCES: ["storage_denied"],
  ENOSPC: ["storage_full"],
  EDQUOT: ["storage_full"],
  EFBIG: ["storage_full"],
  EINTR: ["storage_io"],
};

/** A life of one log under a fault: what was acknowledged, and what every refusal was. */
class Life {
  readonly acked: string[] = [];
  readonly refusals: unknown[] = [];
  log: JsonlLog | undefined;
  readonly #path: string;
  readonly #fault: FaultAt;
  #next = 0;

  constructor(path: string, fault: FaultAt) {
    this.#path = path;
    this.#fault = fault;
  }

  async run(): Promise<void> {
    await this.#step(() => {
      this.log = JsonlLog.open(this.#path, { durability: "turn", fileSystem: this.#fault.fileSystem });
    });
    if (!this.log) return;
    const { log } = this;
    await this.#step(() => log.changes());
    await this.append([1]);
    await this.#step(() => log.sync());
    await this.append([3]);
    await this.#step(() => this.#readAll());
    await this.append([1, 2, 1]);
    await this.#step(() => log.syncNow());
    writeFileSync(this.#path, `${user(`foreign${this.#next}`).json}\n`, { flag: "a" });
    await this.append([2]);
    await this.#step(() => log.changes());
    await this.#step(() => log.sync());
    await this.append([1]);
  }

  async append(sizes: readonly number[]): Promise<void> {
    const batches = sizes.map((size) => Array.from({ length: size }, () => user(`n${this.#next++}`, "u2")));
    await this.#step(() => {
      const { outcomes } = (this.log as JsonlLog).append(batches);
      for (const [index, outcome] of outcomes.entries()) {
        const stored = outcome.status === "stored" ? batches[index] : batches[index]?.slice(0, outcome.stored);
        this.acked.push(...(stored ?? []).map(({ entry }) => entry.id));
        if (outcome.status === "failed") this.refusals.push(outcome.error);
      }
      const failed = outcomes.slice(outcomes.findIndex(({ status }) => status === "failed"));
      for (const after of failed.slice(1)) {
        expect(after).toMatchObject({ status: "failed", stored: 0, error: { details: { outcome: "unknown" } } });
      }
    });
  }

  #readAll(): void {
    const { log, first } = opened(this.#path);
    log.close();
    expect(this.log?.read(first.heads.slice(0, 1).map((head) => head.position))).toMatchObject([{ id: "u1" }]);
  }

  async #step(action: () => unknown): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.refusals.push(error);
    }
  }
}

describe.each(Object.keys(expectedCodes))("%s at any call", (errno) => {
  const moments: readonly Moment[] = errno === "EINTR" ? ["before"] : ["before", "after"];
  for (const moment of moments) {
    for (const isSticky of [false, true]) {
      const when = `${isSticky ? "from every call on" : "at every call once"}, ${moment} it had its effect`;
      test(`CR-05 ${when}: typed errors, nothing acknowledged is lost, the same log goes on`, async () => {
        let struck = 0;
        for (let nth = 1; ; nth++) {
          const path = sessionFile();
          const fault = new FaultAt({ nth, errno, isSticky, moment });
          const life = new Life(path, fault);
          await life.run();
          if (!fault.hasStruck) break;
          struck++;
          fault.stop();
          for (const refusal of life.refusals) {
            expect(isBoughError(refusal) && expectedCodes[errno]?.includes(refusal.code), String(refusal)).toBe(true);
          }
          if (errno === "EINTR" && !isSticky) expect(life.refusals).toEqual([]);
          life.log ??= JsonlLog.open(path, { durability: "turn" });
          const before = life.acked.length;
          await life.append([2]);
          await life.log.sync();
          expect(life.acked.length).toBe(before + 2);
          life.log.close();
          const found = new Set(idsIn(path));
          for (const id of ["u1", "u2", ...life.acked]) expect(found, `call ${nth}`).toContain(id);
          rmSync(dirname(path), { recursive: true });
        }
        expect(struck).toBeGreaterThan(20);
      });
    }
  }
});

/** Takes so many bytes of the nth write, and of later ones everything. */
function shortWrites(nth: number, taken: number) {
  let writes = 0;
  return interceptedFileSystem(({ name, args, proceed }) => {
    if (name !== "writeSync" || ++writes !== nth) return proceed();
    const [fd, bytes] = args as [number, Uint8Array];
    return taken === 0 ? 0 : writeSync(fd, bytes, 0, taken, null);
  });
}

describe("a write cut short", () => {
  test("CR-05 at every byte fails that record alone, and the next stands on its own line", () => {
    const length = user("n1", "u2", "é").json.length + 2;
    for (let taken = 0; taken < length; taken++) {
      const path = sessionFile();
      const { log } = opened(path, { fileSystem: shortWrites(1, taken) });
      const failed = log.append([[user("n1", "u2", "é")], [user("never", "n1")]]);
      expect(failed.outcomes).toMatchObject([{ status: "failed", stored: 0, error: { code: "storage_full" } }]);
      expect(statusesOf(log.append([[user("n1", "u2", "é")]]))).toEqual(["stored"]);
      log.close();
      const { first } = opened(path);
      expect(idsOf(first.heads).filter((id, index, ids) => ids.indexOf(id) === index)).toEqual(["u1", "u2", "n1"]);
      expect(first.heads.at(-1)).toMatchObject({ id: "n1", type: "message" });
    }
  });

  test("CR-05 inside a batch leaves a prefix of whole records, and says how many", () => {
    const batch = [user("n1"), user("n2"), user("n3")];
    const one = user("n1").json.length + 1;
    for (let taken = 0; taken < one * 3; taken++) {
      const path = sessionFile();
      const { log } = opened(path, { fileSystem: shortWrites(1, taken) });
      const stored = Math.floor(taken / one);
      const outcome = taken % one === one - 1 ? "unknown" : "not_written";
      const appended = log.append([batch]);
      expect(appended.outcomes).toMatchObject([
        {
          status: "failed",
          stored,
          error: { details: { outcome: taken === one * 3 - 1 ? outcome : expect.any(String) } },
        },
      ]);
      expect(idsOf(appended.change.heads)).toEqual(["n1", "n2", "n3"].slice(0, stored));
      expect(statusesOf(log.append([[user("n4")]]))).toEqual(["stored"]);
      log.close();
      expect(idsIn(path)).toContain("n4");
    }
  });
});

describe("a write that several batches share", () => {
  const batches = [[user("n1")], [user("n2"), user("n3")], [user("n4")]];
  const one = user("n1").json.length + 1;

  test("CR-05 cut short at any byte fails the first batch that is not whole, and the rest is not there", () => {
    for (let taken = 0; taken < one * 4; taken++) {
      const path = sessionFile();
      const { log } = opened(path, { fileSystem: shortWrites(1, taken) });
      const lines = Math.floor(taken / one);
      const whole = lines === 0 ? 0 : lines < 3 ? 1 : 2;
      const { outcomes, change } = log.append(batches);
      expect(outcomes.map(({ status }) => status)).toEqual([...Array(whole).fill("stored"), "failed"]);
      const outcome = taken % one === one - 1 ? "unknown" : "not_written";
      expect(outcomes.at(-1)).toMatchObject({
        stored: lines === 2 ? 1 : 0,
        error: { code: "storage_full", details: { outcome } },
      });
      expect(idsOf(change.heads)).toEqual(["n1", "n2", "n3", "n4"].slice(0, lines));
      expect(statusesOf(log.append([[user("n5")]]))).toEqual(["stored"]);
      log.close();
      expect(idsIn(path).slice(0, lines + 2)).toEqual(["u1", "u2", "n1", "n2", "n3", "n4"].slice(0, lines + 2));
      expect(idsIn(path).at(-1)).toBe("n5");
    }
  });

  test("CR-05 refused altogether it fails the first batch, and the rest is not there", () => {
    const path = sessionFile();
    const { log } = opened(path, { fileSystem: failingWrite(1, "before") });
    expect(log.append(batches).outcomes).toMatchObject([
      { status: "failed", stored: 0, error: { code: "storage_io" } },
    ]);
    expect(statusesOf(log.append(batches.slice(1)))).toEqual(["stored", "stored"]);
    log.close();
    expect(idsIn(path)).toEqual(["u1", "u2", "n2", "n3", "n4"]);
  });

  test("CR-05 that reports an error after it took everything has stored everything, once", () => {
    const path = sessionFile();
    const { log } = opened(path, { fileSystem: failingWrite(1, "after") });
    expect(statusesOf(log.append(batches))).toEqual(["stored", "stored", "stored"]);
    log.close();
    expect(idsIn(path)).toEqual(["u1", "u2", "n1", "n2", "n3", "n4"]);
  });

  test("CR-05 nobody can look at leaves every batch of it unknown", () => {
    const path = sessionFile();
    const blindness = new Blindness();
    const { log } = opened(path, { fileSystem: blindness.fileSystem });
    blindness.isOn = true;
    const unknown = { status: "failed", stored: 0, error: { code: "storage_io", details: { outcome: "unknown" } } };
    expect(log.append(batches).outcomes).toMatchObject([unknown, unknown, unknown]);
    blindness.isOn = false;
    expect(idsOf(log.changes().heads)).toEqual(["n1", "n2", "n3", "n4"]);
    log.close();
    expect(idsIn(path)).toEqual(["u1", "u2", "n1", "n2", "n3", "n4"]);
  });

  test("CR-05 nobody can look at rejects each append in flight, and none is written twice", async () => {
    const path = sessionFile();
    const blindness = new Blindness();
    const { fileSystem } = blindness;
    const session = await sessionOn(asyncLog(JsonlLog.open(path, { durability: "process", fileSystem })));
    const said = (content: string) => session.appendMessage({ role: "user", content, timestamp: 0 });
    blindness.isOn = true;
    const results = await Promise.allSettled([said("a"), said("b"), said("c")]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(session.leafId).toBe("u2");
    blindness.isOn = false;
    await said("d");
    await session.close();
    const contents = readFileSync(path, "utf8").matchAll(/"content":"([a-d])"/g);
    expect(Array.from(contents, ([, content]) => content)).toEqual(["a", "b", "c", "d"]);
  });

  test("CR-05 lines that others wrote in front of it are taken in, and it is found", () => {
    const path = sessionFile();
    const { log } = opened(path);
    log.append([[user("n0")]]);
    writeFileSync(path, `${user("foreign").json}\n`, { flag: "a" });
    const { outcomes, change } = log.append(batches);
    expect(outcomes.map(({ status }) => status)).toEqual(["stored", "stored", "stored"]);
    expect(idsOf(change.heads)).toEqual(["foreign", "n1", "n2", "n3", "n4"]);
    log.close();
  });
});

/** A disk that doesn't tell what is on it while this is on. */
class Blindness {
  isOn = false;
  readonly fileSystem = interceptedFileSystem(({ name, proceed }) => {
    if (this.isOn && name === "statSync") throw errnoError("EIO", name);
    return proceed();
  });
}

/** The nth write reports an error, before it took anything or after it took everything. */
function failingWrite(nth: number, moment: Moment) {
  let writes = 0;
  return interceptedFileSystem(({ name, proceed }) => {
    if (name !== "writeSync" || ++writes !== nth) return proceed();
    if (moment === "after") proceed();
    throw errnoError("EIO", name);
  });
}

describe("a sync that fails", () => {
  /**
   * A disk whose `failures`th syncs fail and drop what was written since the last good one, as a kernel may do that
   * marks lost pages clean: the next sync has nothing to complain of.
   */
  function forgetfulDisk(path: string, failures: readonly number[], loss: "cut" | "zeros" | "none") {
    let syncs = 0;
    let safe = readFileSync(path).length;
    return interceptedFileSystem(({ name, proceed }) => {
      if (name !== "fdatasync" && name !== "fdatasyncSync") return proceed();
      syncs++;
      const size = readFileSync(path).length;
      if (!failures.includes(syncs)) {
        safe = size;
        return proceed();
      }
      if (loss !== "none") {
        const fd = openSync(path, "r+");
        if (loss === "zeros") writeSync(fd, Buffer.alloc(size - safe), 0, size - safe, safe);
        else ftruncateSync(fd, safe);
        closeSync(fd);
      }
      throw errnoError("EIO", name);
    });
  }

  const losses = ["zeros", "cut", "none"] as const;

  test.each(losses)("the records are written again before anybody is told they are safe (%s)", async (loss) => {
    for (const sync of ["sync", "syncNow"] as const) {
      const path = sessionFile();
      const { log } = opened(path, { durability: "turn", fileSystem: forgetfulDisk(path, [1], loss) });
      log.append([[user("n1", "u2"), user("n2", "n1")]]);
      log.append([[user("n3", "n2")]]);
      await log[sync]();
      const ids = new Set(idsIn(path));
      for (const id of ["u1", "u2", "n1", "n2", "n3"]) expect(ids).toContain(id);
      expect(statusesOf(log.append([[user("n4", "n3")]]))).toEqual(["stored"]);
      const heads = opened(path).first.heads;
      expect(heads.at(-1)?.id).toBe("n4");
      log.close();
    }
  });

  test.each(losses)(
    "where that fails too the outcome is unknown, until a later sync has written them (%s)",
    async (loss) => {
      const path = sessionFile();
      const { log } = opened(path, { durability: "power", fileSystem: forgetfulDisk(path, [1, 2, 3, 4], loss) });
      log.append([[user("n1", "u2")]]);
      const unknown = { code: "storage_io", details: { outcome: "unknown" } };
      await expect(Promise.all([log.sync(), log.sync()])).rejects.toMatchObject(unknown);
      expect(() => log.syncNow()).toThrow(expect.objectContaining({ code: "storage_io" }));
      await expect(log.sync()).rejects.toMatchObject(unknown);
      await log.sync();
      expect(idsIn(path)).toContain("n1");
      log.append([[user("n2", "n1")]]);
      await log.sync();
      expect(new Set(idsIn(path))).toEqual(new Set(["u1", "u2", "n1", "n2"]));
      log.close();
    },
  );

  test("what was written while a sync was in flight waits for the next", async () => {
    const path = sessionFile();
    const sizes: number[] = [];
    const fileSystem = interceptedFileSystem(({ name, proceed }) => {
      if (name === "fdatasync") sizes.push(readFileSync(path).length);
      return proceed();
    });
    const { log } = opened(path, { durability: "turn", fileSystem });
    log.append([[user("n1", "u2")]]);
    const first = log.sync();
    await nextTurnOf(() => sizes.length === 1);
    log.append([[user("n2", "n1")]]);
    await first;
    expect(sizes).toHaveLength(1);
    await log.sync();
    expect(sizes).toHaveLength(2);
    expect(sizes[1]).toBe(readFileSync(path).length);
    log.close();
  });

  test("once it was written again, a record is not written a third time", async () => {
    const path = sessionFile();
    const { log } = opened(path, { durability: "turn", fileSystem: forgetfulDisk(path, [1], "none") });
    for (const [id, parentId] of [
      ["n1", "u2"],
      ["n2", "n1"],
      ["n3", "n2"],
    ] as const) {
      log.append([[user(id, parentId)]]);
      await log.sync();
    }
    expect(idsIn(path)).toEqual(["u1", "u2", "n1", "n1", "n2", "n3"]);
    log.close();
  });

  test("at durability process the outcome is unknown, once, and later appends go on", async () => {
    const path = sessionFile();
    const { log } = opened(path, { durability: "process", fileSystem: forgetfulDisk(path, [1], "none") });
    log.append([[user("n1", "u2")]]);
    await expect(log.sync()).rejects.toMatchObject({ code: "storage_io" });
    log.append([[user("n2", "n1")]]);
    await log.sync();
    log.close();
  });

  test("records written again are handed out again, at the place that counts now", async () => {
    const path = sessionFile();
    const { log } = opened(path, { durability: "turn", fileSystem: forgetfulDisk(path, [1], "none") });
    const [first] = log.append([[user("n1", "u2")]]).change.heads;
    await log.sync();
    const again = log.changes();
    expect(again).toMatchObject({ kind: "grown", heads: [{ id: "n1" }], diagnostics: [{ code: "duplicate_id" }] });
    expect(again.heads[0]?.position).toBeGreaterThan(first?.position as number);
    expect(log.read(again.heads.map((head) => head.position))).toEqual([user("n1", "u2").entry]);
    log.close();
  });

  test("a file whose end the disk forgot counts as replaced", async () => {
    const path = sessionFile();
    const { log } = opened(path, { durability: "turn", fileSystem: forgetfulDisk(path, [1], "zeros") });
    log.append([[user("n1", "u2")]]);
    await log.sync();
    const again = log.changes();
    expect(again.kind).toBe("replaced");
    expect(idsOf(again.heads)).toEqual(["u1", "u2", "n1"]);
    expect(codesOf(again)).toEqual(["nul_tail"]);
    log.close();
  });
});

async function nextTurnOf(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

describe("creating at a fault", () => {
  test("CR-05 leaves a whole session or no file at all, and nothing beside it", () => {
    for (const moment of ["before", "after"] as const) {
      for (const isSticky of [false, true]) {
        for (const errno of ["EIO", "ENOSPC", "EACCES"]) {
          for (let nth = 1; ; nth++) {
            const folder = temporaryFolder();
            const path = join(folder, "new", "s.jsonl");
            const fault = new FaultAt({ nth, errno, isSticky, moment });
            let error: unknown;
            try {
              JsonlLog.create(path, header, [user("u1")], { durability: "turn", fileSystem: fault.fileSystem }).close();
            } catch (thrown) {
              error = thrown;
            }
            if (error !== undefined) expect(isBoughError(error), String(error)).toBe(true);
            const isThere = readdirSync(folder).includes("new") && readdirSync(dirname(path)).includes("s.jsonl");
            if (error === undefined) expect(isThere).toBe(true);
            if (isThere) expect(idsIn(path)).toEqual(["u1"]);
            rmSync(folder, { recursive: true });
            if (!fault.hasStruck) break;
          }
        }
      }
    }
  });

  test.each(["EPERM", "ENOTSUP"])("where links fail with %s the name is claimed before it is given", (errno) => {
    const withoutLinks = interceptedFileSystem(({ name, proceed }) => {
      if (name === "linkSync") throw errnoError(errno, name);
      return proceed();
    });
    const path = join(temporaryFolder(), "s.jsonl");
    const options = { durability: "turn", fileSystem: withoutLinks } as const;
    JsonlLog.create(path, header, [user("u1")], options).close();
    expect(idsIn(path)).toEqual(["u1"]);
    expect(() => JsonlLog.create(path, header, [], options)).toThrow(
      expect.objectContaining({ code: "already_exists" }),
    );
    expect(readdirSync(dirname(path))).toEqual(["s.jsonl"]);
  });
});
