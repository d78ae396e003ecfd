import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { median, quantile } from "../clock.ts";
import type { OpenSession } from "../contenders/contender.ts";
import { type ContenderName, yardstick } from "../contenders.ts";
import { filler, numbered, userMessage } from "../messages.ts";
import type { Case, Question } from "../question.ts";

interface Args {
  /** Characters of a message. */
  readonly length: number;
  readonly count: number;
  /** How many are under way at a time. */
  readonly inFlight: number;
  readonly durability: "process" | "power";
}

const everyone: readonly ContenderName[] = [
  "bough-jsonl",
  "bough-session-manager",
  "bough-directory",
  "bough-memory",
  "pi-1.6",
  "pi-0.73",
  yardstick,
];

export const question: Question<Args> = {
  name: "append",
  asks: "Append messages to a new session",
  figures: [
    { name: "messages", unit: "per s", better: "more" },
    { name: "median", unit: "µs", better: "less" },
    { name: "99 %", unit: "µs", better: "less" },
    { name: "of the disk's limit", unit: "×", better: "more" },
  ],
  cases: () => [
    oneByOne(1024, 5000),
    oneByOne(10_240, 2500),
    {
      label: "1 KB, 32 in flight",
      contenders: ["bough-jsonl", "bough-directory", "bough-memory", "pi-1.6", yardstick],
      args: { length: 1024, count: 6400, inFlight: 32, durability: "process" },
      targets: [{ row: "append 1 KB, 32 in flight", figure: "messages", is: "times better", gate: 1.5, aim: 2.5 }],
    },
    {
      label: "1 KB, 256 in flight, safe from power loss",
      contenders: ["bough-jsonl"],
      args: { length: 1024, count: 5120, inFlight: 256, durability: "power" },
      targets: [
        {
          row: "power-safe append, 256 in flight, of 256 / median fdatasync",
          figure: "of the disk's limit",
          is: "at least",
          gate: 0.6,
          aim: 0.9,
        },
      ],
    },
  ],
  async measure({ load, scratch }, args) {
    const engine = await load();
    const session = await engine.create({ folder: scratch, durability: args.durability });
    const text = filler(args.length);
    await session.append(userMessage("start"));
    for (let number = 0; number < 200; number++) await session.append(numbered(number, text));
    const begin = performance.now();
    const waits =
      args.inFlight === 1 ? await sequentially(session, args.count, text) : await together(session, args, text);
    const perSecond = (args.count / (performance.now() - begin)) * 1000;
    await session.close?.();
    return {
      messages: perSecond,
      median: median(waits) * 1000,
      "99 %": quantile(waits, 0.99) * 1000,
      ...(args.durability === "power" && {
        "of the disk's limit": perSecond / (args.inFlight / (medianSync(scratch, args.length) / 1000)),
      }),
    };
  },
};

function oneByOne(length: number, count: number): Case<Args> {
  const row = `append ${length / 1024} KB one after the other`;
  return {
    label: `${length / 1024} KB`,
    contenders: everyone,
    args: { length, count, inFlight: 1, durability: "process" },
    targets: [{ row, figure: "messages", is: "times better", gate: 0.95, aim: 1.3 }],
  };
}

/** Milliseconds each took. */
async function sequentially(session: OpenSession, count: number, text: string): Promise<number[]> {
  const waits: number[] = [];
  let before = performance.now();
  for (let number = 0; number < count; number++) {
    const appended = session.append(numbered(number, text));
    if (appended instanceof Promise) await appended;
    const now = performance.now();
    waits.push(now - before);
    before = now;
  }
  return waits;
}

async function together(session: OpenSession, { count, inFlight }: Args, text: string): Promise<number[]> {
  const waits: number[] = [];
  for (let number = 0; number < count; number += inFlight) {
    const begin = performance.now();
    const round = Array.from({ length: inFlight }, (_, index) => session.append(numbered(number + index, text)));
    await Promise.all(round);
    waits.push(performance.now() - begin);
  }
  return waits;
}

/** What the disk takes to make one line safe, in milliseconds. */
function medianSync(folder: string, length: number): number {
  const fd = openSync(join(folder, "sync"), "a");
  const line = Buffer.alloc(length, "x");
  const waits = Array.from({ length: 101 }, () => {
    writeSync(fd, line);
    const begin = performance.now();
    fdatasyncSync(fd);
    return performance.now() - begin;
  });
  closeSync(fd);
  return median(waits);
}
