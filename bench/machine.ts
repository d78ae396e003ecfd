import { cpus, loadavg, release, totalmem, type } from "node:os";
import { contenders } from "./contenders.ts";

/** What figures can't be compared without. */
export interface Machine {
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  readonly peers: readonly string[];
  /** Processes that wanted to run in the last minute, at the begin. A figure of a busy machine says little. */
  readonly load: number;
}

export function thisMachine(): Machine {
  const [cpu, ...others] = cpus();
  const peers = Object.values(contenders).flatMap(({ peer }) => (peer ? [`${peer.package} ${peer.version}`] : []));
  return {
    date: new Date().toISOString(),
    processor: cpu?.model ?? "unknown",
    cores: others.length + 1,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    peers,
    load: loadavg()[0] as number,
  };
}
