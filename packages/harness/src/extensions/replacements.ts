import { type Session, SessionError, type SessionTreeEntry } from "bough";
import type { SessionShutdownReason } from "../hooks/events.ts";
import { textOf } from "../input.ts";
import { wordsOf } from "../navigation.ts";
import type { Forked, ForkSessionOptions, NewSessionOptions, Replaced } from "./extension-context.ts";
import { invalid, type SessionBinding } from "./session-binding.ts";

/** Where sessions come from: a `SessionRepo`, or what is like one in this. */
export interface SessionSource {
  create(options: { readonly cwd?: string; readonly parentSession?: string }): Promise<Session>;
  open(session: string): Promise<Session>;
}

/** Why one session takes the place of another. */
export type ReplacementReason = Exclude<SessionShutdownReason, "quit">;

/** Puts a session in the place of the one at work; rejects with nothing changed. */
export type Replace = (binding: SessionBinding, session: Session, reason: ReplacementReason) => Promise<void>;

/** The ways to another session. Each asks first, and has changed nothing when it was refused or failed. */
export class Replacements {
  readonly #sessions: SessionSource | undefined;
  readonly #replace: Replace;

  constructor(sessions: SessionSource | undefined, replace: Replace) {
    this.#sessions = sessions;
    this.#replace = replace;
  }

  async newSession(binding: SessionBinding, { parentSession, setup }: NewSessionOptions): Promise<Replaced> {
    const { hooks, session } = binding.harness;
    const source = this.#source();
    const asked = await hooks.ask("session_before_switch", { reason: "new" });
    if (asked.cancel) return { cancelled: true };
    const parent = parentSession !== undefined && { parentSession };
    return await this.#go(binding, "new", await source.create({ cwd: session.header.cwd, ...parent }), setup);
  }

  async switchSession(binding: SessionBinding, wanted: string | Session): Promise<Replaced> {
    const { hooks } = binding.harness;
    const isOpen = typeof wanted !== "string";
    const session = isOpen ? wanted : await this.#source().open(wanted);
    if (isSame(session, binding.harness.session)) {
      if (!isOpen) await session.close();
      return { cancelled: false };
    }
    const { location } = session.storage.ref;
    const target = location !== undefined && { targetSessionFile: location };
    try {
      const asked = await hooks.ask("session_before_switch", { reason: "resume", ...target });
      if (!asked.cancel) await this.#replace(binding, session, "resume");
      else if (!isOpen) await session.close();
      return { cancelled: asked.cancel === true };
    } catch (error) {
      if (!isOpen) await session.close();
      throw error;
    }
  }

  async fork(binding: SessionBinding, entryId: string, options: ForkSessionOptions): Promise<Forked> {
    const { position = "before" } = options;
    const { hooks, session } = binding.harness;
    const entry = await entryOf(session, entryId);
    const asked = await hooks.ask("session_before_fork", { entryId, position });
    if (asked.cancel) return { cancelled: true };
    const replaced = await this.#go(binding, "fork", await session.fork(entryId, { position }));
    const words = position === "before" ? wordsOf(entry) : undefined;
    return { ...replaced, ...(words !== undefined && { editorText: textOf(words) }) };
  }

  async branch(binding: SessionBinding, entryId: string | undefined): Promise<Replaced> {
    const { hooks, session } = binding.harness;
    const end = entryId ?? session.leafId;
    if (end === null) throw invalid("there is no path to branch off");
    await entryOf(session, end);
    const asked = await hooks.ask("session_before_branch", { entryId: end });
    if (asked.cancel) return { cancelled: true };
    return await this.#go(binding, "fork", await session.fork(end));
  }

  /** A copy of the whole tree. */
  async clone(binding: SessionBinding): Promise<Replaced> {
    const { hooks, session } = binding.harness;
    const { leafId } = session;
    const asked = leafId === null ? {} : await hooks.ask("session_before_fork", { entryId: leafId, position: "at" });
    if (asked.cancel) return { cancelled: true };
    return await this.#go(binding, "fork", await session.fork());
  }

  async #go(
    binding: SessionBinding,
    reason: ReplacementReason,
    session: Session,
    setup?: NewSessionOptions["setup"],
  ): Promise<Replaced> {
    try {
      await setup?.(session);
      await this.#replace(binding, session, reason);
    } catch (error) {
      await session.close();
      throw error;
    }
    return { cancelled: false };
  }

  #source(): SessionSource {
    if (this.#sessions) return this.#sessions;
    throw invalid("the application has no place for other sessions");
  }
}

/** Sessions of one place share a host. */
function isSame(one: Session, other: Session): boolean {
  return one.storage.host === other.storage.host;
}

async function entryOf(session: Session, id: string): Promise<SessionTreeEntry> {
  const entry = await session.getEntry(id);
  if (entry) return entry;
  throw new SessionError("not_found", `there is no entry ${id}`, { what: "entry", id });
}
