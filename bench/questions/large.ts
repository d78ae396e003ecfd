import { linkSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { peakMemory, timed } from "../clock.ts";
import { type Contender, contextOf } from "../contenders/contender.ts";
import { type Case, type Plan, type Question, type Subject, slowSize } from "../question.ts";

type Ask = "list" | "catalog" | "context" | "check";

interface Args {
  readonly file: string;
  readonly ask: Ask;
}

/** 3 GB. */
const entries = 680_000;
const longLine = 200_000_000;
const asks: readonly Ask[] = ["list", "context", "check"];

export const question: Question<Args> = {
  name: "large",
  asks: "The most memory a process held that lists, catalogs, opens or checks a session of 3 GB, or one with a line of 200 MB",
  figures: [
    { name: "peak", unit: "MB", better: "less" },
    { name: "time", unit: "ms", better: "less" },
  ],
  cases: (plan) => (plan.sizes.includes(slowSize) ? casesOf(plan) : []),
  async measure(subject, args) {
    const engine = await subject.load();
    const { ms } = await timed(() => answers[args.ask](engine, args.file, subject));
    return { peak: peakMemory(), time: ms };
  },
};

function casesOf({ data }: Plan): Case<Args>[] {
  const large = data.session({ entries });
  const words = data.longLine({ length: longLine, at: "root", of: "words" });
  const values = data.longLine({ length: longLine, at: "root", of: "values" });
  const within = data.longLine({ length: longLine, at: "leaf", of: "words" });
  const fourTimes = (4 * longLine) / 1e6;
  return [
    ...asks.map((ask) => asked("3 GB", large, ask, 300)),
    ...[...asks, "catalog" as const].flatMap((ask) => [
      asked("200 MB line above the window", words, ask, 300),
      asked("200 MB of small values above the window", values, ask, 300),
    ]),
    asked("200 MB line in the window", within, "context", fourTimes),
  ];
}

function asked(what: string, file: string, ask: Ask, most: number): Case<Args> {
  return {
    label: `${what}, ${ask}`,
    isSlow: true,
    contenders: [ask === "catalog" ? "bough-catalog" : "bough-jsonl"],
    args: { file, ask },
    targets: [
      { row: `peak memory, ${what}, ${ask}`, figure: "peak", is: "at most", gate: most, aim: Math.round(most / 3) },
    ],
  };
}

const answers: Readonly<Record<Ask, (engine: Contender, file: string, subject: Subject) => Promise<unknown>>> = {
  async list(engine, file, { scratch }) {
    linkSync(file, join(scratch, basename(file)));
    return await engine.list?.(scratch);
  },
  async catalog(engine, file, { scratch }) {
    const folder = join(scratch, "sessions");
    mkdirSync(folder);
    linkSync(file, join(folder, basename(file)));
    return await engine.catalog?.(folder, join(scratch, "catalog.sqlite"));
  },
  async context(engine, file, { scratch }) {
    return await contextOf(await engine.open(file, { folder: scratch }));
  },
  async check(engine, file, { scratch }) {
    return await (await engine.open(file, { folder: scratch })).check?.();
  },
};
