import type { SessionTreeEntry } from "../entry/entry.ts";
import type { Session } from "../session/session.ts";
import type { SessionRepo } from "../session/session-repo.ts";

/** One store of the kind under test, empty at first. */
export interface StoreFixture {
  /** A repo over the store; another one each time, as another process would have it. */
  openRepo(): Promise<SessionRepo>;
  /** All that is stored of a session, comparable by deep equality. */
  stored?(id: string): Promise<unknown>;
  /** Called after the case, when all repos are closed. */
  dispose?(): Promise<void>;
}

export interface SessionCase {
  readonly name: string;
  run(bench: SessionBench): Promise<void>;
}

/** A fixture that closes every repo it gave out. */
export class SessionBench {
  readonly repo: SessionRepo;
  readonly #fixture: StoreFixture;
  readonly #repos: SessionRepo[];

  private constructor(fixture: StoreFixture, repo: SessionRepo) {
    this.#fixture = fixture;
    this.repo = repo;
    this.#repos = [repo];
  }

  static async open(fixture: StoreFixture): Promise<SessionBench> {
    return new SessionBench(fixture, await fixture.openRepo());
  }

  async otherRepo(): Promise<SessionRepo> {
    const repo = await this.#fixture.openRepo();
    this.#repos.push(repo);
    return repo;
  }

  /** The session as another process finds it now. */
  async reopened(session: Session): Promise<Session> {
    return await (await this.otherRepo()).open(session.id);
  }

  stored(session: Session): Promise<unknown> {
    if (!this.#fixture.stored) throw new Error("the fixture has no stored(): add it, or skip this case with a reason");
    return this.#fixture.stored(session.id);
  }

  async dispose(): Promise<void> {
    for (const repo of this.#repos) await repo.close();
    await this.#fixture.dispose?.();
  }
}

export function say(session: Session, text: string): Promise<string> {
  return session.appendMessage({ role: "user", content: text });
}

export async function textsOf(entries: Promise<readonly SessionTreeEntry[]>): Promise<unknown[]> {
  return (await entries).map((entry) =>
    entry.type === "message" ? (entry.message as { content?: unknown }).content : entry.type,
  );
}

export function idsOf(entries: readonly SessionTreeEntry[]): string[] {
  return entries.map((entry) => entry.id);
}
