import type { SessionTreeEntry } from "../../entry/entry.ts";
import type { JsonObject } from "../../entry/json.ts";
import { jsonValue } from "../../entry/json-value.ts";
import { SessionError } from "../../errors.ts";
import type { Line } from "../../format/lines.ts";
import { closeDescriptor, type FileSystem, nodeFileSystem } from "../files/file-system.ts";
import { withLease } from "./lease.ts";
import { migrateFile } from "./migrate.ts";
import { planRepair, type RepairPlan } from "./repair-plan.ts";
import { type EntryPart, type ReadLine, RepairReader } from "./repair-reader.ts";
import { RepairedTree } from "./repaired-tree.ts";
import { replaceFile } from "./replace-file.ts";
import { decodedLines, type Extent, linesOf, openToRead, readHeaderOf } from "./session-lines.ts";
import { headFirstJson, lineOf, verbatim } from "./written-line.ts";

/**
 * `salvaged`: a record was found in a torn line. `cleaned`: a line lost NULs or bytes that are no UTF-8. `emptied`: of a
 * record that can't be used the place alone stays. `relinked`: an entry got another parent, or a leaf another target,
 * because its own led nowhere. `dropped`: nothing of a line could be kept, or of an entry's copies a later one was.
 */
export interface RepairChange {
  readonly what: "salvaged" | "cleaned" | "emptied" | "relinked" | "dropped";
  /** Of the old file. */
  readonly line: number;
  readonly entryId?: string;
}

export type Repair =
  | { readonly status: "sound" }
  | { readonly status: "repaired"; readonly backup: string; readonly changes: readonly RepairChange[] };

/**
 * Makes a damaged session whole as far as it can be: afterwards it opens without a diagnostic and has every entry that it
 * showed before, and those that were buried in torn lines. The damaged file stays as `<file>.damaged-<time>.bak`; an older
 * version is migrated first. Throws `busy` while another process has the lease, `invalid_session` without a header.
 */
export function repairFile(path: string, fileSystem: FileSystem = nodeFileSystem, now = new Date()): Repair {
  const { header, access, version } = readHeaderOf(path, fileSystem);
  if (access === "read_only") {
    throw new SessionError("unsupported_version", `${path} has version ${version}`, { version, path });
  }
  return withLease({ file: path, id: header.id, doing: "repair" }, () => {
    migrateFile(path, fileSystem);
    return repairLeased(path, fileSystem, now);
  });
}

function repairLeased(path: string, fileSystem: FileSystem, now: Date): Repair {
  if (changesNeeded(path, fileSystem).length === 0) return { status: "sound" };
  let repairer: Repairer | undefined;
  const backup = replaceFile(
    path,
    {
      conversion: (source) => {
        const attempt = new Repairer(path, planRepair(source, path, fileSystem));
        repairer = attempt;
        return (line) => attempt.convert(line);
      },
      verify: (source, copy) => requireAllEntries(source, copy, path, fileSystem),
      backup: `damaged-${now.toISOString().replace(/[:.]/g, "-")}`,
    },
    fileSystem,
  );
  return { status: "repaired", backup, changes: repairer?.changes ?? [] };
}

function changesNeeded(path: string, fileSystem: FileSystem): readonly RepairChange[] {
  const { fd, stat } = openToRead(path, fileSystem);
  try {
    const source = { fd, size: stat.size };
    const repairer = new Repairer(path, planRepair(source, path, fileSystem));
    for (const line of linesOf(source, fileSystem)) repairer.convert(line);
    return repairer.changes;
  } finally {
    closeDescriptor(fileSystem, fd);
  }
}

class Repairer {
  readonly #plan: RepairPlan;
  readonly #reader: RepairReader;
  readonly #tree = new RepairedTree();
  readonly #changes: RepairChange[] = [];

  constructor(path: string, plan: RepairPlan) {
    this.#plan = plan;
    this.#reader = new RepairReader(path);
  }

  get changes(): readonly RepairChange[] {
    return this.#changes;
  }

  convert(line: Line): Uint8Array {
    const read = this.#reader.read(line);
    const before = this.#changes.length;
    const texts = read.parts.map((part) => (part.kind === "entry" ? this.#repaired(part, read) : part.text));
    if (texts.length === 0 && read.state === "torn") this.#note("dropped", read);
    if (read.state === "unclean") this.#note("cleaned", read);
    if (this.#changes.length === before && read.state === "sound") return verbatim(line);
    return Buffer.concat(texts.filter((text) => text !== undefined).map(lineOf));
  }

  #repaired(part: EntryPart, read: ReadLine): string | undefined {
    const { entry, ordinal } = part;
    const isLater = ordinal >= this.#plan.entryCount;
    if (!isLater && this.#plan.staying.get(entry.id) !== ordinal) {
      this.#note("dropped", read, entry);
      return undefined;
    }
    const linked = this.#tree.add(entry, !isLater && this.#plan.relinked.has(entry.id));
    if (linked !== entry) this.#note("relinked", read, entry);
    const isEmptied = entry.type === "damaged" && JSON.parse(part.text).type !== "damaged";
    if (isEmptied) this.#note("emptied", read, entry);
    else if (read.state === "torn") this.#note(entry.type === "damaged" ? "emptied" : "salvaged", read, entry);
    if (isEmptied) return headFirstJson({ ...(jsonValue(part.text) as JsonObject), ...linked });
    return linked === entry ? part.text : headFirstJson(linked);
  }

  #note(what: RepairChange["what"], { number }: ReadLine, entry?: SessionTreeEntry): void {
    this.#changes.push({ what, line: number, ...(entry && { entryId: entry.id }) });
  }
}

/** Whatever could be read before can be read after. */
function requireAllEntries(source: Extent, copy: Extent, path: string, fileSystem: FileSystem): void {
  const kept = new Set<string>();
  for (const { entry } of decodedLines(copy, fileSystem)) if (entry) kept.add(entry.id);
  for (const { entry } of decodedLines(source, fileSystem)) {
    if (!entry || kept.has(entry.id)) continue;
    throw new SessionError("invalid_state", `The repaired copy of ${path} lacks ${entry.id}`, {
      reason: "copy_differs",
    });
  }
}
