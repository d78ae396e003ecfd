export { branchTips } from "./branches.ts";
export { commonAncestor, isOnPath, type Path, pathTo } from "./path.ts";
export { type Label, type Leaf, type ReadonlySessionTree, SessionTree, sessionName } from "./session-tree.ts";
export type { SessionStats, UsageTotals } from "./statistics.ts";
export { type Structure, structureOf } from "./structure.ts";
