import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { JsonlLog } from "../../../src/storage/jsonl/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { header, idsOf, opened, statusesOf, user, wholeIdsIn } from "./records.ts";

const program = resolve(import.meta.dirname, "programs/append-until-refused.ts");
const isPosix = process.platform !== "win32";

test.skipIf(!isPosix)(
  "CR-05 DL-03 a file at the size limit refuses with storage_full and goes on where there is room (needs ulimit)",
  () => {
    for (const size of [1, 700, 3000, 40_000]) {
      const path = join(temporaryFolder(), "s.jsonl");
      JsonlLog.create(path, header, [user("u1")], { durability: "process" }).close();
      const limited = `ulimit -f 64; exec "$@"`;
      const args = [process.execPath, "--conditions=bough-source", program, path, "n", String(size)];
      const { stdout, stderr } = spawnSync("sh", ["-c", limited, "sh", ...args], { encoding: "utf8" });
      expect(stdout, stderr).toMatch(/^\{/);
      const { acked, code, details, isReadable } = JSON.parse(stdout);
      expect(code).toBe("storage_full");
      expect(details).toMatchObject({ operation: "append", outcome: "not_written" });
      expect(isReadable).toBe(true);
      const { log, first } = opened(path);
      expect(idsOf(first.heads)).toEqual(["u1", ...acked]);
      expect(statusesOf(log.append([[user("next")]]))).toEqual(["stored"]);
      log.close();
      expect(wholeIdsIn(path)).toEqual(["u1", ...acked, "next"]);
    }
  },
);

const disk = smallDisk();

test.skipIf(disk === undefined)(
  "CR-05 a full disk refuses, stays readable, and the same log goes on when there is room (needs the right to mount)",
  async () => {
    for (const [round, size] of [1, 700, 3000, 9000].entries()) {
      const folder = join(disk as string, String(round));
      mkdirSync(folder);
      writeFileSync(join(folder, "filler"), Buffer.alloc(64 << 10));
      const log = JsonlLog.create(join(folder, "s.jsonl"), header, [user("u1")], { durability: "power" });
      const { heads } = log.changes();
      const acked: string[] = [];
      const append = async (id: string) => {
        const [outcome] = log.append([[user(id, "u1", "x".repeat(size))]]).outcomes;
        if (outcome?.status !== "stored") return outcome?.error;
        await log.sync();
        acked.push(id);
        return undefined;
      };
      let refusal: unknown;
      for (let index = 0; refusal === undefined; index++) refusal = await append(`n${index}`);
      expect(refusal).toMatchObject({ code: "storage_full", details: { outcome: "not_written" } });
      expect(await append("again")).toMatchObject({ code: "storage_full" });
      expect(log.read(heads.map((head) => head.position))).toMatchObject([{ id: "u1" }]);
      expect(() =>
        JsonlLog.create(join(folder, "t.jsonl"), header, [user("u1", null, "x".repeat(200_000))], {
          durability: "turn",
        }),
      ).toThrow(expect.objectContaining({ code: "storage_full" }));
      expect(wholeIdsIn(log.path)).toEqual(["u1", ...acked]);
      rmSync(join(folder, "filler"));
      for (let index = 0; index < 3; index++) expect(await append(`after${index}`)).toBeUndefined();
      expect(wholeIdsIn(log.path)).toEqual(["u1", ...acked]);
      log.close();
      rmSync(folder, { recursive: true });
    }
  },
);

/** A file system of 256 KiB; undefined where none may be mounted. */
function smallDisk(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  const folder = join("/dev/shm", `bough-small-disk-${process.pid}`);
  mkdirSync(folder);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder]);
  afterAll(() => {
    if (status === 0) spawnSync("umount", [folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return status === 0 ? folder : undefined;
}
