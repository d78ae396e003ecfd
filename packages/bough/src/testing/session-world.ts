import assert from "node:assert/strict";
import { kindOf } from "../entry/kind.ts";
import { type ErrorCode, isBoughError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { type ModelEntry, usageMark } from "./reference-entry.ts";
import { type ModelAnswer, ReferenceModel } from "./reference-model.ts";
import type { EntryNumber, SessionCommand } from "./session-command.ts";

/** How one kind of store opens sessions and shows what it keeps. */
export interface WorldKeeper {
  create(): Promise<Session>;
  /** The session again, from what is stored, after its last holder closed it. */
  reopen(id: string): Promise<Session>;
  /** Header and entries as JSON lines, as they are stored; what can't show them is compared by its reads alone. */
  exported?(id: string): Promise<string>;
}

/** A session and the model of what it should be, driven by the same commands. */
export class SessionWorld {
  readonly #keeper: WorldKeeper;
  #model = new ReferenceModel();
  #attempts: Session[];
  #current = 0;

  private constructor(keeper: WorldKeeper, session: Session) {
    this.#keeper = keeper;
    this.#attempts = [session];
  }

  static async create(keeper: WorldKeeper): Promise<SessionWorld> {
    return new SessionWorld(keeper, await keeper.create());
  }

  /** Runs the command on both, and throws unless they answer the same and have stored the same. */
  async run(command: SessionCommand): Promise<void> {
    const known = this.#model.entries.length;
    const answer = await this.#answer(command);
    const stored = await this.#session.getEntries();
    const fresh = stored.slice(known).values();
    const expected = this.#model.run(command, () => {
      const { value } = fresh.next();
      assert.ok(value, "the model stores an entry more than the session");
      return { id: value.id, timestamp: value.timestamp };
    });
    assert.deepEqual(answer, expected);
    assert.deepEqual(stored, this.#model.entries);
    assert.equal(this.#session.leafId, this.#model.leaf);
  }

  /** Throws unless every read says what the model says. */
  async compare(): Promise<void> {
    await compareReads(this.#session, this.#model);
    await this.#compareExport(this.#session);
  }

  async close(): Promise<void> {
    await this.#attempts[0]?.close();
  }

  get #session(): Session {
    return this.#attempts[this.#current] as Session;
  }

  async #answer(command: SessionCommand): Promise<ModelAnswer> {
    try {
      return { id: await this.#do(command) };
    } catch (error) {
      if (isBoughError(error)) return { code: error.code as ErrorCode };
      throw error;
    }
  }

  async #do(command: SessionCommand): Promise<string | undefined> {
    const session = this.#session;
    switch (command.do) {
      case "append":
        return await session.appendEntry(command.draft);
      case "label":
        return await session.appendLabel(this.#id(command.target), command.text);
      case "name":
        return await session.appendSessionName(command.name);
      case "usage": {
        const { type: _, ...usage } = usageMark(command.input);
        return await session.appendUsage(usage);
      }
      case "edit": {
        const replacement = command.content === null ? null : { content: command.content };
        return await session.appendContextEdit(this.#id(command.target), replacement);
      }
      case "compact":
        return await this.#compact(command.summary, command.kept);
      case "move": {
        const target = command.target === null ? null : this.#id(command.target);
        return await session.moveTo(target, command.summary === undefined ? undefined : { summary: command.summary });
      }
      case "at":
        this.#attempts.push(session.at(command.target === null ? null : this.#id(command.target)));
        this.#current = this.#attempts.length - 1;
        return undefined;
      case "switch":
        this.#current = command.to % this.#attempts.length;
        return undefined;
      case "fork":
        return await this.#fork(command.target, command.position);
      case "reopen":
        return await this.#reopen();
    }
  }

  async #compact(summary: string, kept: number | undefined): Promise<string> {
    const firstKept = kept === undefined ? undefined : (await this.#session.getBranch()).at(-1 - kept)?.id;
    const compaction = { summary, tokensBefore: 1, ...(firstKept !== undefined && { firstKeptEntryId: firstKept }) };
    return await this.#session.appendCompaction(compaction);
  }

  async #reopen(): Promise<undefined> {
    const { id } = this.#session;
    await this.close();
    this.#attempts = [await this.#keeper.reopen(id)];
    this.#current = 0;
  }

  async #fork(target: EntryNumber | undefined, position: "at" | "before"): Promise<undefined> {
    const before = await this.#keeper.exported?.(this.#session.id);
    const fork = await this.#session.fork(target === undefined ? undefined : this.#id(target), { position });
    try {
      assert.equal(await this.#keeper.exported?.(this.#session.id), before);
      await compareFork(fork, this.#model, this.#model.fork(target, position), this.#session.id);
      await this.#compareExport(fork);
    } finally {
      await fork.close();
    }
  }

  async #compareExport(session: Session): Promise<void> {
    const exported = await this.#keeper.exported?.(session.id);
    if (exported === undefined) return;
    const records = [session.header, ...(await session.getEntries())];
    assert.equal(exported, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }

  #id(number: EntryNumber): string {
    return this.#model.idAt(number);
  }
}

async function compareReads(session: Session, model: ReferenceModel): Promise<void> {
  assert.deepEqual(await session.getBranch(), model.path(model.leaf));
  assert.equal(await session.getSessionName(), model.name);
  for (const id of [null, ...model.entries.map((entry) => entry.id)]) {
    assert.deepEqual(await session.getChildren(id), model.children(id));
    if (id === null) continue;
    assert.equal(await session.getLabel(id), model.label(id)?.label);
    assert.deepEqual(
      await session.getEntry(id),
      model.entries.find((entry) => entry.id === id),
    );
  }
  const { entryCount, messageCount, all, own, inherited } = model.stats();
  const stats = await session.getSessionStats();
  assert.deepEqual([stats.entryCount, stats.messageCount], [entryCount, messageCount]);
  assert.deepEqual([{ ...stats.tokens, cost: stats.costTotal }, stats.own, stats.inherited], [all, own, inherited]);
  assert.deepEqual(session.diagnostics, []);
}

async function compareFork(
  fork: Session,
  source: ReferenceModel,
  { entries, leaf }: { readonly entries: readonly ModelEntry[]; readonly leaf: string | null },
  sourceId: string,
): Promise<void> {
  const stored = await fork.getEntries();
  assert.deepEqual(stored.slice(0, entries.length), entries);
  assert.ok(stored.slice(entries.length).every((entry) => kindOf(entry) === "mark" && entry.type !== "usage"));
  assert.equal(fork.leafId, leaf);
  assert.equal(await fork.getSessionName(), source.name);
  for (const { id } of entries) {
    const label = source.label(id);
    assert.equal(await fork.getLabel(id), label?.label);
    if (label) assert.ok(stored.some((entry) => entry.type === "label" && entry.timestamp === label.timestamp));
  }
  assert.equal(fork.header.parentSessionId, sourceId);
  const { own, inherited } = new ReferenceModel(stored as unknown as ModelEntry[], entries.length).stats();
  const stats = await fork.getSessionStats();
  assert.deepEqual([stats.own, stats.inherited], [own, inherited]);
}
