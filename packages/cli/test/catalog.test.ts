import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Catalog, fileSource } from "bough/catalog";
import { expect, onTestFinished, test, vi } from "vitest";
import { searching } from "../src/catalog.ts";
import type { Cli } from "../src/cli.ts";
import { Output } from "../src/output.ts";
import { linesOf, user } from "./support/bough.ts";

const many = 30;
const time = "2026-01-01T00:00:00.000Z";

function storeOf(home: string): string {
  const root = join(home, "sessions");
  mkdirSync(root, { recursive: true });
  for (let at = 0; at < many; at++) {
    const header = { type: "session", version: 3, id: `s${at}`, timestamp: time, cwd: "/w" };
    const entry = { type: "message", id: `m${at}`, parentId: null, timestamp: time, message: user("a needle") };
    writeFileSync(join(root, `t_s${at}.jsonl`), linesOf([header, entry]));
  }
  return root;
}

function cliIn(home: string, { isTTY }: { readonly isTTY: boolean }): Cli {
  const output = new Output(Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream);
  const { signal } = new AbortController();
  return { stdin: process.stdin, stdout: output, stderr: output, env: { BOUGH_HOME: home }, cwd: home, signal };
}

test.each([
  ["a terminal", true],
  ["a pipe", false],
])("a search on %s doesn't wait for an index that takes long", async (_, isTTY) => {
  const home = mkdtempSync(join(tmpdir(), "bough-cli-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const root = storeOf(home);
  const indexed = async () => {
    using catalog = Catalog.open({
      file: join(home, "catalog.sqlite"),
      sources: [fileSource({ name: "bough", root })],
    });
    const known = await Promise.all(readdirSync(root).map((name) => catalog.look(join(realpathSync(root), name))));
    return known.filter((session) => session !== undefined).length;
  };
  const answers: (readonly [found: number, indexed: number])[] = [];
  const search = async () =>
    await searching(
      cliIn(home, { isTTY }),
      "bough",
      async (catalog) => {
        const { hits } = await catalog.search("needle", { limit: 2 * many });
        answers.push([hits.length, await indexed()]);
      },
      undefined,
    );
  const timer = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(new Error("over")));
  await search();
  expect(answers).toEqual([[many, 0]]);
  expect(await indexed()).toBe(isTTY ? many : 0);
  timer.mockRestore();
  await search();
  expect(answers[1]).toEqual([many, many]);
});
