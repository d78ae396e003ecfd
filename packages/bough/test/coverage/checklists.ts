import type { Standing, Standings } from "./standing.ts";

/** The numbered behaviours of the two systems bough is compatible with; later rows override earlier ones. */
export const checklists: Standings = {
  // pi: format, loading, appending, reads, labels, context, projection
  ...range("pi", 1, 116, "tested"),
  "pi-26b": "tested",
  "pi-10": "decided: folders are named after the project and a hash of its path",
  // compaction, branch summaries and navigation
  ...range("pi", 117, 134, "tested"),
  ...range("pi", 135, 172, "tested"),
  // forks and stores
  ...range("pi", 173, 189, "tested"),
  // tree, picker and page
  ...range("pi", 190, 193, "tested"),
  ...range("pi", 194, 198, "waits: terminal"),
  "pi-199": "tested",
  ...range("pi", 200, 205, "waits: html"),
  ...range("pi", 206, 215, "tested"),
  // statistics, and what the first documents leave open
  ...range("pi", 216, 232, "tested"),

  // oh-my-pi: format, reads, appenders, labels, branching, context, migration, persistence, usage
  ...range("omp", 1, 83, "tested"),
  "omp-80": "waits: blobs",
  ...range("omp", 84, 90, "tested"),
  ...range("omp", 91, 106, "tested"),
  ...range("omp", 107, 117, "tested"),
  "omp-116": "waits: terminal",
  ...range("omp", 118, 120, "tested"),
  ...range("omp", 121, 125, "waits: terminal"),
  "omp-126": "tested",
  ...range("omp", 127, 135, "waits: html"),
  "omp-130a": "waits: html",
};

function range(list: string, first: number, last: number, standing: Standing): Standings {
  const ids = Array.from({ length: last - first + 1 }, (_, index) => `${list}-${first + index}`);
  return Object.fromEntries(ids.map((id) => [id, standing]));
}
