import { median, timed } from "../clock.ts";
import { contextOf } from "../contenders/contender.ts";
import { type ContenderName, fileContenders, patientContenders, yardstick } from "../contenders.ts";
import { type Case, type Plan, type Question, slowSize, type Target, thousands, timesBetter } from "../question.ts";

interface Args {
  readonly file: string;
  /** Opens it so often in one process, and answers with the median of the later half. */
  readonly times?: number;
}

const cold = { 1000: [2.5, 5], 10000: [30, 60], 100000: [250, 700] } as const;
const warm = { 10000: [80, 120] } as const;
const oneLevel = { 10000: [18, 50], 100000: [60, 150] } as const;
const whole = { 1000: [1.2, 2], 10000: [1.7, 3] } as const;
const uncached = { 10000: [15, 40], 100000: [200, 450] } as const;

export const question: Question<Args> = {
  name: "open-context",
  asks: "Open a session and build what the model is sent",
  figures: [
    { name: "open + context", unit: "ms", better: "less" },
    { name: "open", unit: "ms", better: "less" },
    { name: "context", unit: "ms", better: "less" },
  ],
  cases: (plan) => plan.sizes.flatMap((size) => casesOf(size, plan)),
  async measure({ load, scratch }, { file, times = 1 }) {
    const engine = await load();
    const measured = [];
    for (let time = 0; time < times; time++) {
      const open = await timed(() => engine.open(file, { folder: scratch }));
      const context = await timed(() => contextOf(open.result));
      measured.push({ open: open.ms, context: context.ms });
      await open.result.close?.();
    }
    const later = measured.slice(times >>> 1);
    return {
      "open + context": median(later.map(({ open, context }) => open + context)),
      open: median(later.map(({ open }) => open)),
      context: median(later.map(({ context }) => context)),
    };
  },
};

function casesOf(entries: number, { data }: Plan): Case<Args>[] {
  const file = data.session({ entries });
  const row = "open + context";
  const size = thousands(entries);
  const common = { isSlow: entries >= slowSize };
  const patient: readonly ContenderName[] = [...patientContenders, yardstick];
  const contenders = common.isSlow ? patient : [...fileContenders, yardstick];
  const targets = (suffix: string, bounds: Parameters<typeof timesBetter>[2]): readonly Target[] =>
    timesBetter(row + suffix, row, bounds, entries);
  const cases: Case<Args>[] = [
    { ...common, label: size, contenders, args: { file }, targets: targets("", cold) },
    {
      ...common,
      label: `${size}, written by bough`,
      contenders,
      args: { file: data.session({ entries, shape: "bough" }) },
    },
  ];
  const add = (label: string, args: () => Args, targets: readonly Target[], more: Partial<Case<Args>> = {}) => {
    if (targets.length === 0) return;
    const asked = { ...common, label: `${size}, ${label}`, contenders: patient, args: args(), targets };
    cases.push({ ...asked, ...more });
  };
  const oneLevelFile = () => ({ file: data.session({ entries, changesLevel: false }) });
  const wholeFile = () => ({ file: data.session({ entries, isCompacted: false }) });
  add("warm", () => ({ file, times: 9 }), targets(", warm", warm));
  add("one level", oneLevelFile, targets(", thinking level set once", oneLevel));
  add("no compaction", wholeFile, targets(", no compaction", whole));
  if (process.platform === "linux") {
    add("not cached", () => ({ file }), targets(", not in the page cache", uncached), { coldFile: file });
  }
  return cases;
}
