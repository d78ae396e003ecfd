import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { acquireLease, type LeaseRequest, tryAcquireLease, withLease } from "../../../src/storage/jsonl/lease.ts";
import { runProgram } from "../../support/child.ts";
import { startProgram } from "../../support/running.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const holder = join(import.meta.dirname, "programs/hold-lease.ts");

function session(id = "s1"): LeaseRequest {
  return { file: join(temporaryFolder(), "session.jsonl"), id, doing: "test" };
}

const places = process.platform === "linux" ? ["linux", "darwin"] : [process.platform];

describe.each(places)("on %s", (platform) => {
  test("a second process is refused and told who holds the lease", async () => {
    const wanted = session();
    await using other = startProgram(holder, [wanted.file, wanted.id, platform]);
    await other.nextLine();
    await expect(acquireLease(wanted, platform)).rejects.toMatchObject({
      code: "busy",
      details: { id: "s1", holder: `process ${other.pid} (chat)` },
    });
    expect(tryAcquireLease(wanted, platform)).toBeUndefined();
  });

  test("the lease is free as soon as its holder was killed", async () => {
    const wanted = session();
    for (let round = 0; round < 3; round++) {
      await using other = startProgram(holder, [wanted.file, wanted.id, platform]);
      await other.nextLine();
      await other.kill();
      const lease = tryAcquireLease(wanted, platform);
      expect(lease).toBeDefined();
      lease?.release();
    }
  });

  test("of several processes that want what a dead one had, one gets it", async () => {
    const wanted = session();
    const args = [wanted.file, wanted.id, platform];
    await using dead = startProgram(holder, args);
    await dead.nextLine();
    await dead.kill();
    const heirs = Array.from({ length: 4 }, () => startProgram(holder, args));
    const answers = await Promise.all(heirs.map((heir) => heir.nextLine()));
    await Promise.all(heirs.map((heir) => heir.kill()));
    expect(answers.sort()).toEqual(["busy", "busy", "busy", "held"]);
  });

  test("a holder that is stopped holds all the same", async () => {
    const wanted = session();
    await using other = startProgram(holder, [wanted.file, wanted.id, platform]);
    await other.nextLine();
    other.signal("SIGSTOP");
    await expect(acquireLease(wanted, platform)).rejects.toMatchObject({ code: "busy", details: { id: "s1" } });
  });

  test("within one process it is one lease too, and free once released", async () => {
    const wanted = session();
    const lease = await acquireLease(wanted, platform);
    await expect(acquireLease(wanted, platform)).rejects.toMatchObject({
      code: "busy",
      details: { holder: `process ${process.pid} (test)` },
    });
    expect(tryAcquireLease(wanted, platform)).toBeUndefined();
    lease.release();
    lease.release();
    const next = tryAcquireLease(wanted, platform);
    expect(next).toBeDefined();
    lease.release();
    expect(tryAcquireLease(wanted, platform)).toBeUndefined();
    next?.release();
  });

  test("of many that want it at once one gets it", async () => {
    const wanted = session();
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => acquireLease(wanted, platform)));
    const granted = asked.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(granted).toHaveLength(1);
    granted[0]?.release();
  });

  test("other sessions of the folder are free", () => {
    const file = join(temporaryFolder(), "session.jsonl");
    using first = tryAcquireLease({ file, id: "s1", doing: "test" }, platform);
    using second = tryAcquireLease({ file, id: "s2", doing: "test" }, platform);
    expect([first, second]).not.toContain(undefined);
  });
});

test("a link to the file leads to the same lease", () => {
  const wanted = session();
  writeFileSync(wanted.file, "");
  const link = join(temporaryFolder(), "link.jsonl");
  symlinkSync(wanted.file, link);
  using lease = tryAcquireLease(wanted);
  expect(lease).toBeDefined();
  expect(tryAcquireLease({ ...wanted, file: link })).toBeUndefined();
});

test("work under a lease is refused while another process has it, and shares one that this process has", async () => {
  const wanted = session();
  expect(withLease(wanted, () => 1)).toBe(1);
  {
    using own = await acquireLease(wanted);
    expect(withLease(wanted, () => 2)).toBe(2);
    expect(own).toBeDefined();
  }
  await using other = startProgram(holder, [wanted.file, wanted.id, process.platform]);
  await other.nextLine();
  expect(() => withLease(wanted, () => 3)).toThrowError(expect.objectContaining({ code: "busy" }));
});

test("workers of a cluster don't share a lease", async () => {
  const { stdout } = await runProgram(join(import.meta.dirname, "programs/cluster-lease.ts"), [session().file]);
  expect(JSON.parse(stdout)).toEqual([true, false]);
});

test("a lease does not keep its process alive", async () => {
  const wanted = session();
  const other = startProgram(holder, [wanted.file, wanted.id, process.platform]);
  await other.nextLine();
  other.end();
  await other.ended;
  expect(tryAcquireLease(wanted)?.release()).toBeUndefined();
});
