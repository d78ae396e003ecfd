import { isEditableRole } from "../entry/kind.ts";
import type { ErrorCode } from "../errors.ts";
import { type ModelEntry, roleOf, stateOf, sumOf, usageMark } from "./reference-entry.ts";
import type { EntryNumber, SessionCommand } from "./session-command.ts";

/** What a command gives: the id it resolves with, or the code it rejects with. */
export type ModelAnswer = { readonly id: string | undefined } | { readonly code: ErrorCode };

type ModelDraft = { readonly type: string } & Readonly<Record<string, unknown>>;

export type ModelPlace = Pick<ModelEntry, "id" | "timestamp">;

class Refusal extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

const marks = new Set(["label", "session_info", "leaf", "usage"]);

/**
 * What a session must do, written from its specification and as plainly as can be: one array, searched from end to end
 * for every answer. Only ids and times are taken from the session that it is compared with.
 */
export class ReferenceModel {
  readonly entries: ModelEntry[];
  readonly #inherited: ReadonlySet<string>;
  #leaves: (string | null)[];
  #current = 0;

  constructor(entries: readonly ModelEntry[] = [], inheritedEntries = 0) {
    this.entries = [...entries];
    this.#inherited = new Set(entries.slice(0, inheritedEntries).map((entry) => entry.id));
    this.#leaves = [this.fileLeaf];
  }

  /** `place` gives the next new entry's id and time. */
  run(command: SessionCommand, place: () => ModelPlace): ModelAnswer {
    try {
      return { id: this.#do(command, place) };
    } catch (refusal) {
      if (refusal instanceof Refusal) return { code: refusal.code };
      throw refusal;
    }
  }

  get leaf(): string | null {
    return this.#leaves[this.#current] as string | null;
  }

  /** The position of the last entry. */
  get fileLeaf(): string | null {
    const last = this.entries.at(-1);
    return last ? this.#position(last.id) : null;
  }

  get name(): string | undefined {
    const last = this.entries.findLast((entry) => entry.type === "session_info");
    return (last?.name as string | undefined) || undefined;
  }

  label(id: string): ModelEntry | undefined {
    const last = this.entries.findLast((entry) => entry.type === "label" && entry.targetId === id);
    return last?.label === undefined ? undefined : last;
  }

  path(id: string | null): ModelEntry[] {
    const entry = id === null ? undefined : this.#entry(id);
    return entry ? [...this.path(entry.parentId), entry] : [];
  }

  children(id: string | null): ModelEntry[] {
    return this.entries.filter((entry) => entry.parentId === id);
  }

  stats() {
    return {
      entryCount: this.entries.length,
      messageCount: this.entries.filter((entry) => entry.type === "message").length,
      all: sumOf(this.entries),
      own: sumOf(this.entries.filter((entry) => !this.#inherited.has(entry.id))),
      inherited: sumOf(this.entries.filter((entry) => this.#inherited.has(entry.id))),
    };
  }

  /** The entries of the conversation that a fork copies, and where it stands. */
  fork(target: EntryNumber | undefined, position: "at" | "before"): { entries: ModelEntry[]; leaf: string | null } {
    if (target === undefined) return { entries: this.entries.filter(isConversation), leaf: this.fileLeaf };
    const entry = this.#numbered(target);
    if (position === "before" && roleOf(entry) !== "user") throw new Refusal("invalid_fork_target");
    const leaf = position === "before" ? entry.parentId : this.#position(entry.id);
    const path = this.path(leaf);
    const nearest = (id: string) => this.path(id).findLast((ancestor) => path.includes(ancestor))?.id ?? "root";
    const copy = (copied: ModelEntry): ModelEntry =>
      copied.type === "branch_summary" && copied.fromId !== "root"
        ? { ...copied, fromId: nearest(copied.fromId as string) }
        : copied;
    return { entries: path.map(copy), leaf };
  }

  idAt(number: EntryNumber): string {
    return number === "nowhere" || this.entries.length === 0
      ? "nowhere"
      : (this.entries[number % this.entries.length] as ModelEntry).id;
  }

  #do(command: SessionCommand, place: () => ModelPlace): string | undefined {
    switch (command.do) {
      case "append":
        return this.#append(command.draft, this.leaf, place());
      case "label": {
        const targetId = this.#numbered(command.target).id;
        const label = command.text?.trim();
        return this.#mark({ type: "label", targetId, ...(label && { label }) }, place());
      }
      case "name":
        return this.#mark({ type: "session_info", name: command.name.replace(/[\r\n]+/g, " ").trim() }, place());
      case "usage":
        return this.#mark(usageMark(command.input), place());
      case "edit":
        return this.#edit(command.target, command.content, place);
      case "compact":
        return this.#compact(command.summary, command.kept, place());
      case "move":
        return this.#move(command.target, command.summary, place);
      case "at":
        this.#leaves.push(command.target === null ? null : this.#position(this.#numbered(command.target).id));
        this.#current = this.#leaves.length - 1;
        return undefined;
      case "switch":
        this.#current = command.to % this.#leaves.length;
        return undefined;
      case "fork":
        this.fork(command.target, command.position);
        return undefined;
      case "reopen":
        this.#leaves = [this.fileLeaf];
        this.#current = 0;
        return undefined;
    }
  }

  #edit(target: EntryNumber, content: string | null, place: () => ModelPlace): string {
    const entry = this.#numbered(target);
    if (!isEditableRole(entry.type, roleOf(entry)) || !this.path(this.leaf).includes(entry))
      throw new Refusal("invalid_entry");
    const replacement = content === null ? null : { content };
    return this.#append({ type: "context_edit", targetId: entry.id, replacement }, this.leaf, place());
  }

  #compact(summary: string, kept: number | undefined, place: ModelPlace): string {
    const path = this.path(this.leaf);
    const firstKeptEntryId = (kept === undefined ? undefined : path.at(-1 - kept)?.id) ?? place.id;
    const draft = { type: "compaction", summary, tokensBefore: 1, firstKeptEntryId, state: stateOf(path) };
    return this.#append(draft, this.leaf, place);
  }

  #move(target: EntryNumber | null, summary: string | undefined, place: () => ModelPlace): string | undefined {
    const to = target === null ? null : this.#position(this.#numbered(target).id);
    if (to === this.leaf) return undefined;
    if (summary !== undefined) {
      return this.#append({ type: "branch_summary", summary, fromId: this.leaf ?? "root" }, to, place());
    }
    if (this.#current === 0) this.entries.push({ type: "leaf", ...place(), parentId: to, targetId: to });
    this.#leaves[this.#current] = to;
    return undefined;
  }

  #append(draft: ModelDraft, parentId: string | null, place: ModelPlace): string {
    this.entries.push({ ...draft, ...place, parentId });
    this.#leaves[this.#current] = place.id;
    return place.id;
  }

  #mark(draft: ModelDraft, place: ModelPlace): string {
    this.entries.push({ ...draft, ...place, parentId: this.fileLeaf });
    return place.id;
  }

  #position(id: string): string | null {
    const entry = this.#entry(id);
    if (!marks.has(entry.type)) return id;
    const next = entry.type === "leaf" ? (entry.targetId as string | null) : entry.parentId;
    return next === null ? null : this.#position(next);
  }

  #numbered(number: EntryNumber): ModelEntry {
    return this.#entry(this.idAt(number));
  }

  #entry(id: string): ModelEntry {
    const found = this.entries.find((entry) => entry.id === id);
    if (!found) throw new Refusal("not_found");
    return found;
  }
}

function isConversation(entry: ModelEntry): boolean {
  return !marks.has(entry.type);
}
