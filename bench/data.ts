import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FolderPlan, SessionPlan } from "./generate/plan.ts";
import { sentence } from "./generate/text.ts";
import { writeFolder, writeSession } from "./generate.ts";
import type { Data } from "./question.ts";

/** Generated sessions, made when they are asked for the first time and kept. Nobody may change them. */
export class GeneratedData implements Data {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    mkdirSync(root, { recursive: true });
  }

  session(plan: Omit<SessionPlan, "seed">): string {
    const path = join(this.#root, `${nameOf(plan)}.jsonl`);
    if (!existsSync(path)) writeSession(path, { ...plan, seed: 1 });
    return path;
  }

  folder(plan: Omit<FolderPlan, "seed">): string {
    const folder = join(this.#root, `folder-${plan.sessions}`);
    if (!existsSync(folder)) writeFolder(folder, { ...plan, seed: 1 });
    return folder;
  }

  catalog({ sessions }: Omit<FolderPlan, "seed">): string {
    return join(this.#root, `catalog-${sessions}.sqlite`);
  }

  get phrase(): string {
    return sentence(100).split(" ").slice(0, 5).join(" ");
  }
}

function nameOf({ shape = "pi", entries, isCompacted = true, changesLevel = true }: Omit<SessionPlan, "seed">): string {
  return [shape, entries, !isCompacted && "whole", !changesLevel && "one-level"].filter(Boolean).join("-");
}
