import { execFile } from "node:child_process";
import { appendFileSync, openSync, readdirSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { Random } from "../../src/testing/random.ts";
import { place as putText, sessionText } from "../storage/jsonl/stores.ts";
import { runProgram } from "../support/child.ts";
import { startProgram } from "../support/running.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { allHits, catalogOf, contentOf, entriesOf, namesOf } from "./catalogs.ts";
import { RandomStore } from "./random-store.ts";

const program = resolve(import.meta.dirname, "programs/update-catalog.ts");
const isCampaign = process.env.BOUGH_CAMPAIGN !== undefined;

interface Place {
  readonly store: RandomStore;
  readonly file: string;
  /** Fails unless the catalog says what a new one says, and finds what a scan finds. */
  check(): Promise<void>;
}

function place(seed: number, sessions: number): Place {
  const folder = temporaryFolder();
  const store = new RandomStore(join(folder, "sessions"), seed);
  for (let count = 0; count < sessions; count++) store.create(30);
  const file = join(folder, "catalog.sqlite");
  const check = async () => {
    const catalog = catalogOf(store.root, file);
    await catalog.update();
    const fresh = catalogOf(store.root, join(folder, "fresh.sqlite"));
    await fresh.update();
    expect(contentOf(file)).toEqual(contentOf(join(folder, "fresh.sqlite")));
    const entries = entriesOf(store.files).filter(({ text }) => text.toLowerCase().includes("parsequery"));
    expect(namesOf(await allHits(catalog, "parseQuery"))).toEqual(entries.map(({ name }) => name).sort());
    catalog.close();
    fresh.close();
  };
  return { store, file, check };
}

test("processes that update one catalog at once agree, while sessions grow", async () => {
  const { store, file, check } = place(7, 60);
  for (let round = 0; round < (isCampaign ? 20 : 2); round++) {
    const updates = [1, 2, 3].map(() => runProgram(program, [store.root, file, "parseQuery"]));
    for (let count = 0; count < 30; count++) {
      store.change();
      await sleep(10);
    }
    for (const { exitCode, stderr } of await Promise.all(updates))
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    await check();
  }
});

test("killed at any moment, it is right at the next start", async () => {
  const random = new Random(3);
  const { store, file, check } = place(11, 150);
  for (let kill = 0; kill < (isCampaign ? 100 : 6); kill++) {
    await using update = startProgram(program, [store.root, file]);
    await update.nextLine();
    const rest = linesOf(update.rest());
    await sleep(random.integer(kill % 2 === 0 ? 400 : 60));
    await update.kill();
    await rest;
    for (let count = 0; count < 5; count++) store.change();
  }
  await check();
});

describe.skipIf(process.platform === "win32")("where there is too little room (a limit that Windows has not)", () => {
  const blocks = 4096;
  /** No file may grow beyond so many blocks of 512 bytes, in the smallest case. */
  const inLittleRoom = async (...args: string[]) => {
    const limited = [
      "-c",
      `ulimit -f ${blocks}; exec "$@"`,
      "sh",
      process.execPath,
      "--conditions=bough-source",
      program,
    ];
    const { stdout } = await promisify(execFile)("sh", [...limited, ...args]);
    return JSON.parse(stdout.split("\n")[1] as string);
  };
  const store = (sessions: number) => {
    const folder = temporaryFolder();
    const add = (id: string) => {
      const message = { role: "user", content: `${id} and so on `.repeat(20_000) };
      const entry = { type: "message", id: "a", parentId: null, timestamp: "t", message };
      putText(join(folder, "sessions/p", `t_${id}.jsonl`), `${sessionText(id, "/w/p")}${JSON.stringify(entry)}\n`);
    };
    for (let index = 0; index < sessions; index++) add(`s${index}`);
    return { root: join(folder, "sessions"), file: join(folder, "kept/catalog.sqlite"), add };
  };

  test("sessions are listed, and nothing is left of a catalog that could not be made", async () => {
    const { root, file } = store(60);
    expect(await inLittleRoom(root, file, "")).toMatchObject({ sessions: 60 });
    expect(readdirSync(join(file, ".."))).toEqual([]);
  });

  test("a catalog that was whole stays, without the log of what it has no room for", async () => {
    const { root, file, add } = store(2);
    await inLittleRoom(root, file, "");
    for (let index = 0; index < 60; index++) add(`more${index}`);
    expect(await inLittleRoom(root, file, "")).toMatchObject({ sessions: 62 });
    expect(readdirSync(join(file, ".."))).toEqual(["catalog.sqlite"]);
  });
});

/** What a program goes on to print has to be read, lest its end never be seen. */
async function linesOf(printed: AsyncIterable<string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of printed) lines.push(line);
  return lines;
}

describe("memory", () => {
  function toolResult(id: string, size: number): string {
    const message = {
      role: "toolResult",
      toolCallId: id,
      toolName: "t",
      content: [{ type: "text", text: `needle ${"x ".repeat(size / 2)}` }],
    };
    return `${JSON.stringify({ type: "message", id, parentId: null, timestamp: "2026-01-01T00:00:02.000Z", message })}\n`;
  }

  test("HS-01 HS-02 does not grow with a session of 100 MB, and one entry more is read alone", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "t_big.jsonl");
    const file = openSync(path, "w");
    writeSync(file, sessionText("big", "/w/p"));
    for (let block = 0; block < 20; block++) {
      writeSync(file, Array.from({ length: 100 }, (_, index) => toolResult(`r${block}-${index}`, 50_000)).join(""));
    }
    writeSync(
      file,
      `${JSON.stringify({ type: "session_info", id: "n", parentId: null, timestamp: "t", name: "The end" })}\n`,
    );
    const run = async () => {
      const args = [folder, join(folder, "catalog.sqlite"), "needle"];
      const { stdout, stderr } = await runProgram(program, args, { env: { NODE_OPTIONS: "--max-old-space-size=96" } });
      expect(stderr).toBe("");
      return JSON.parse(stdout.split("\n")[1] as string);
    };
    expect(await run()).toMatchObject({
      sessions: 1,
      first: { id: "big", name: "The end", messageCount: 2001 },
      hits: 20,
    });
    appendFileSync(path, toolResult("last", 10));
    const { first, peakMegabytes } = await run();
    expect(first.messageCount).toBe(2002);
    expect(peakMegabytes).toBeLessThan(300);
  });
});
