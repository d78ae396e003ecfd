import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { CatalogDatabase } from "../../src/catalog/database.ts";
import { guardLength } from "../../src/catalog/file-mark.ts";
import { Catalog, fileSource } from "../../src/catalog/index.ts";
import { Random } from "../../src/testing/random.ts";
import { CallCounter } from "../storage/jsonl/faulty-file-system.ts";
import { user } from "../storage/jsonl/records.ts";
import { place, sessionText } from "../storage/jsonl/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { catalogOf } from "./catalogs.ts";

const line = (id: string) => `${user(id).json}\n`;

function counted(sessions = 20) {
  const root = join(temporaryFolder(), "sessions");
  const paths = Array.from({ length: sessions }, (_, index) =>
    place(join(root, "p", `t_s${index}.jsonl`), sessionText(`s${index}`, "/w/p") + line("more").repeat(1)),
  );
  const counter = new CallCounter();
  const source = fileSource({ name: "bough", root, fileSystem: counter.fileSystem });
  const catalog = Catalog.open({ file: join(root, "../catalog.sqlite"), sources: [source] });
  const cost = async (work: () => Promise<unknown>) => {
    const [calls, bytes] = [counter.calls.length, counter.bytesRead];
    await work();
    const made = counter.calls.slice(calls);
    const count = (name: string) => made.filter((call) => call === name).length;
    return { opened: count("openSync"), stats: count("statSync"), bytesRead: counter.bytesRead - bytes };
  };
  return { root, paths, catalog, cost };
}

test("of a session that did not change nothing but its stat is read", async () => {
  const { catalog, cost } = counted();
  await catalog.update();
  expect(await cost(() => catalog.update())).toEqual({ opened: 0, stats: 20, bytesRead: 0 });
  expect(await cost(() => catalog.list())).toEqual({ opened: 0, stats: 0, bytesRead: 0 });
  expect(await cost(() => catalog.search("more"))).toEqual({ opened: 0, stats: 0, bytesRead: 0 });
});

test("of a session that grew the new bytes are read, and the few before them that tell it only grew", async () => {
  const { catalog, cost, paths } = counted();
  await catalog.update();
  for (const added of [line("a"), line("b") + line("c")]) {
    appendFileSync(paths[3] as string, added);
    const read = await cost(() => catalog.update());
    expect(read).toEqual({ opened: 1, stats: 20, bytesRead: added.length + guardLength });
  }
  expect((await catalog.list()).sessions.find(({ id }) => id === "s3")).toMatchObject({
    messageCount: 5,
    entryCount: 5,
  });
});

test("a line that is not held whole is not read again either", async () => {
  const { catalog, cost, paths } = counted();
  const long = `${user("long", null, "x".repeat(12 << 20)).json}\n`;
  appendFileSync(paths[3] as string, long);
  await catalog.update();
  appendFileSync(paths[3] as string, line("a"));
  expect(await cost(() => catalog.update())).toMatchObject({ bytesRead: line("a").length + guardLength });
});

test("what was torn is read again from its start, and no more", async () => {
  const { catalog, cost, paths } = counted();
  const [start, rest] = [line("torn").slice(0, 30), line("torn").slice(30)];
  appendFileSync(paths[0] as string, start);
  await catalog.update();
  appendFileSync(paths[0] as string, rest);
  expect(await cost(() => catalog.update())).toMatchObject({ bytesRead: start.length + rest.length + guardLength });
});

test("a session that was replaced, or written anew in place, is read whole", async () => {
  const { catalog, cost, paths, root } = counted();
  await catalog.update();
  const text = sessionText("s5", "/w/p") + line("other");
  renameSync(place(join(root, "../copy"), text), paths[5] as string);
  expect(await cost(() => catalog.update())).toMatchObject({ opened: 1, bytesRead: text.length });
  const longer = sessionText("s6", "/w/q") + line("x").repeat(9);
  writeFileSync(paths[6] as string, longer);
  expect(await cost(() => catalog.update())).toMatchObject({ opened: 1, bytesRead: longer.length + guardLength });
  const { sessions } = await catalog.list({ cwd: "/w/q" });
  expect(sessions.map(({ id }) => id)).toEqual(["s6"]);
});

test("marks that hang from marks are walked once", async () => {
  const lookupsOf = async (labels: number) => {
    const root = join(temporaryFolder(), "sessions");
    const marks = Array.from({ length: labels }, (_, index) => {
      const parentId = index === 0 ? "more" : `l${index - 1}`;
      return `${JSON.stringify({ type: "label", id: `l${index}`, parentId, timestamp: "t", targetId: "more", label: "x" })}\n`;
    });
    place(join(root, "p", "t_s.jsonl"), sessionText("s", "/w/p") + line("more") + marks.join(""));
    const catalog = Catalog.open({ sources: [fileSource({ name: "bough", root })] });
    const lookups = vi.spyOn(CatalogDatabase.prototype, "row");
    expect((await catalog.list()).sessions).toMatchObject([{ leafId: "more" }]);
    const { length } = lookups.mock.calls;
    lookups.mockRestore();
    catalog.close();
    return length / labels;
  };
  expect(await lookupsOf(1000)).toBeCloseTo(await lookupsOf(100), 0);
});

test("to forget costs a fraction of what it costs to take in", async () => {
  const root = join(temporaryFolder(), "sessions");
  const random = new Random(1);
  const words = () => Array.from({ length: 300 }, () => random.integer(2 ** 30).toString(36)).join(" ");
  const paths = Array.from({ length: 40 }, (_, at) => {
    const lines = Array.from({ length: 40 }, (_, index) => `${user(`e${index}`, null, words()).json}\n`);
    return place(join(root, `p/t_s${at}.jsonl`), sessionText(`s${at}`, "/w/p") + lines.join(""));
  });
  using catalog = catalogOf(root);
  const cpuOfUpdate = async () => {
    const before = process.cpuUsage();
    await catalog.update();
    const { user: inProgram, system } = process.cpuUsage(before);
    return inProgram + system;
  };
  const taken = await cpuOfUpdate();
  for (const path of paths.slice(0, 14)) rmSync(path);
  expect(await cpuOfUpdate()).toBeLessThan(taken / 4);
});
