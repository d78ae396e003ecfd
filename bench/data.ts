import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type LongLinePlan, writeWithLongLine } from "./generate/long-line.ts";
import type { FolderPlan, SessionPlan } from "./generate/plan.ts";
import { sentence } from "./generate/text.ts";
import { writeFolder, writeSession } from "./generate.ts";
import type { ChangingFolder, Data } from "./question.ts";

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

  longLine(plan: LongLinePlan): string {
    const path = join(this.#root, `long-line-${plan.of}-${plan.at}.jsonl`);
    if (!existsSync(path)) writeWithLongLine(path, this.session({ entries: 1000 }), plan);
    return path;
  }

  folder(plan: Omit<FolderPlan, "seed">): string {
    const folder = join(this.#root, `folder-${plan.sessions}`);
    if (!existsSync(folder)) writeFolder(folder, { ...plan, seed: 1 });
    return folder;
  }

  changingFolder(plan: Omit<FolderPlan, "seed">): ChangingFolder {
    const original = this.folder(plan);
    const folder = `${original}-changing`;
    const names = readdirSync(original);
    const middle = names[names.length >>> 1] as string;
    if (!existsSync(folder)) {
      const part = `${folder}.part`;
      rmSync(part, { recursive: true, force: true });
      mkdirSync(part);
      for (const name of names) (name === middle ? copyFileSync : linkSync)(join(original, name), join(part, name));
      renameSync(part, folder);
    }
    return { folder, file: join(folder, middle), catalog: `${folder}.sqlite` };
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
