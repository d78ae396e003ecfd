import { timed } from "../clock.ts";
import type { CatalogView, Contender } from "../contenders/contender.ts";
import type { ContenderName } from "../contenders.ts";
import type { Case, Question, Target } from "../question.ts";

type Ask =
  | { readonly for: "all" }
  | { readonly for: "page" | "currentPage"; readonly limit: number }
  | { readonly for: "search"; readonly phrase: string };

interface Args {
  readonly folder: string;
  /** The catalog's file; what makes it is not measured. */
  readonly file: string;
  readonly ask: Ask;
}

const large = 5000;
const searchBounds: Readonly<Record<number, readonly [number, number]>> = {
  200: [12, 25],
  1000: [45, 90],
  5000: [130, 280],
};
const both: readonly ContenderName[] = ["bough-catalog", "pi-1.6"];

/** Engines without a catalog list the folder, and search what their list holds of the messages. */
export const question: Question<Args> = {
  name: "catalog",
  asks: "List and search many sessions with a current catalog, its module loaded",
  figures: [
    { name: "answer", unit: "ms", better: "less" },
    { name: "again", unit: "ms", better: "less" },
    { name: "found", unit: "", better: "more" },
  ],
  cases: ({ folders, data }) =>
    folders.flatMap((sessions) => {
      const args = { folder: data.folder({ sessions }), file: data.catalog({ sessions }) };
      const ask = (label: string, ask: Ask, contenders: readonly ContenderName[], targets: readonly Target[]) => {
        const asked: Case<Args> = {
          label: `${sessions}, ${label}`,
          contenders,
          args: { ...args, ask },
          targets,
        };
        return asked;
      };
      const limit = 100;
      return [
        ask("all, each file's stat checked", { for: "all" }, both, sessions === large ? [wholeList] : []),
        ask("first 100", { for: "page", limit }, ["bough-catalog"], sessions === large ? [firstPage] : []),
        ask("first 100, each file's stat checked", { for: "currentPage", limit }, ["bough-catalog"], []),
        ask("search", { for: "search", phrase: data.phrase }, both, searchTargets(sessions)),
      ];
    }),
  async measure({ load }, { folder, file, ask }) {
    const engine = await load();
    const open = (await engine.catalog?.(folder, file)) ?? (() => withoutCatalog(engine, folder));
    const first = await timed(() => answer(open(), ask));
    const again = await timed(() => answer(open(), ask));
    return { answer: first.ms, again: again.ms, found: first.result };
  },
};

const wholeList: Target = {
  row: `list of ${large} with a current catalog`,
  figure: "answer",
  is: "times better",
  gate: 25,
  aim: 60,
};
const firstPage: Target = { row: `first page of 100 of ${large}`, figure: "answer", is: "at most", gate: 10, aim: 1.5 };

function searchTargets(sessions: number): readonly Target[] {
  const [gate, aim] = searchBounds[sessions] ?? [];
  if (gate === undefined || aim === undefined) return [];
  return [{ row: `search with an index, ${sessions} sessions`, figure: "answer", is: "times better", gate, aim }];
}

function answer(view: CatalogView, ask: Ask): Promise<number> {
  switch (ask.for) {
    case "all":
      return view.all();
    case "page":
      return view.page(ask.limit);
    case "currentPage":
      return view.currentPage(ask.limit);
    case "search":
      return view.search(ask.phrase);
  }
}

function withoutCatalog(engine: Contender, folder: string): CatalogView {
  const count = async () => ((await engine.list?.(folder)) ?? []).length;
  return {
    update: async () => undefined,
    all: count,
    page: count,
    currentPage: count,
    search: async (phrase) => (await engine.search?.(folder, phrase)) ?? 0,
  };
}
