import type { Contender } from "./contenders/contender.ts";
import { piContender, piEntry } from "./contenders/pi.ts";

/** Other people's engine: installed when it is asked for the first time, never a dependency. */
export interface Peer {
  /** Of the folder it is installed in. */
  readonly folder: string;
  readonly package: string;
  readonly version: string;
}

const pi16: Peer = { folder: "pi", package: "@earendil-works/pi-coding-agent", version: "1.6.0" };
const pi073: Peer = { folder: "pi-0.73", package: "@mariozechner/pi-coding-agent", version: "0.73.1" };

export type ContenderName =
  | "bough-jsonl"
  | "bough-session-manager"
  | "bough-catalog"
  | "bough-directory"
  | "bough-memory"
  | "least-work"
  | "pi-1.6"
  | "pi-0.73";

export interface ContenderSource {
  readonly peer?: Peer;
  /** Where a peer was installed. */
  readonly load: (folder: string) => Promise<Contender>;
}

/** Engines are loaded when they are measured, each in a process that loads no other. */
export const contenders: Readonly<Record<ContenderName, ContenderSource>> = {
  "bough-jsonl": { load: async () => (await import("./contenders/bough-jsonl.ts")).contender },
  "bough-session-manager": { load: async () => (await import("./contenders/bough-session-manager.ts")).contender },
  "bough-catalog": { load: async () => (await import("./contenders/bough-catalog.ts")).contender },
  "bough-directory": { load: async () => (await import("./contenders/bough-directory.ts")).contender },
  "bough-memory": { load: async () => (await import("./contenders/bough-memory.ts")).contender },
  "least-work": { load: async () => (await import("./contenders/least-work.ts")).contender },
  "pi-1.6": { peer: pi16, load: (folder) => piContender(piEntry(folder, pi16.package)) },
  "pi-0.73": { peer: pi073, load: (folder) => piContender(piEntry(folder, pi073.package)) },
};

/** All ratios are to this one. */
export const reference: ContenderName = "pi-1.6";

/** No engine, but what engines can be measured by. */
export const yardstick: ContenderName = "least-work";

/** Who keeps sessions in files of pi's kind. */
export const fileContenders: readonly ContenderName[] = ["bough-jsonl", "bough-session-manager", "pi-1.6", "pi-0.73"];
/** Without those whom a large session takes minutes. */
export const patientContenders: readonly ContenderName[] = ["bough-jsonl", "bough-session-manager", "pi-1.6"];

export function isBough(name: string): boolean {
  return name.startsWith("bough");
}
