import { basename, dirname } from "node:path";
import type { ListOptions, SessionListing, UnreadableSession } from "../../session/session-store.ts";
import { cwdMatcher } from "../files/cwd.ts";
import { projectFolder } from "./project-folder.ts";
import type { FoundFile } from "./session-files.ts";
import { SummaryReader, unreadable } from "./summary.ts";

/**
 * What a list shows of these files, each as soon as it is known, those with the newest names first. Of a project, what
 * can't be read counts where it stands among the project's sessions.
 */
export async function* listSessions(
  files: readonly FoundFile[],
  { cwd, signal, onProgress }: ListOptions,
): AsyncGenerator<SessionListing, void> {
  const isWanted = cwd === undefined ? undefined : cwdMatcher(cwd);
  const reader = new SummaryReader({
    ...(isWanted && { wants: (header) => isWanted(header.cwd) }),
    ...(signal && { signal }),
  });
  const project = new Project(cwd);
  let done = 0;
  signal?.throwIfAborted();
  for (const { path, error } of newestNamesFirst(files)) {
    const summary = error === undefined ? await reader.read(path) : unreadable(path, error);
    onProgress?.(++done, files.length);
    if (summary.status === "unwanted") continue;
    if (summary.status === "ok" || cwd === undefined) yield project.with(summary);
    else project.doubt(summary);
  }
  yield* project.unreadable();
}

/** Which folders hold a project's sessions turns out as they are found. */
class Project {
  readonly #name: string | undefined;
  readonly #folders = new Set<string>();
  readonly #doubtful: UnreadableSession[] = [];

  constructor(cwd: string | undefined) {
    this.#name = cwd === undefined ? undefined : projectFolder(cwd);
  }

  with(listing: SessionListing): SessionListing {
    if (listing.path !== undefined) this.#folders.add(dirname(listing.path));
    return listing;
  }

  doubt(listing: UnreadableSession): void {
    this.#doubtful.push(listing);
  }

  unreadable(): readonly UnreadableSession[] {
    return this.#doubtful.filter(({ path = "" }) => {
      const folder = dirname(path);
      return basename(folder) === this.#name || this.#folders.has(folder);
    });
  }
}

function newestNamesFirst(files: readonly FoundFile[]): FoundFile[] {
  const named = files.map((file) => ({ file, name: basename(file.path) }));
  return named.sort((a, b) => (a.name < b.name ? 1 : -1)).map(({ file }) => file);
}
