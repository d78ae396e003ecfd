import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Contender, type ListedSession, type OpenSession, type TreeNode, visitNodes } from "./contender.ts";

const cwd = process.cwd();

/** What pi's package gives to programs; both versions have it. Nothing of it is ever synced to the disk. */
export interface PiModule {
  readonly SessionManager: {
    open(file: string, folder?: string): PiManager;
    create(cwd: string, folder: string): PiManager;
    forkFrom(file: string, cwd: string, folder: string): PiManager;
    list(cwd: string, folder: string): Promise<readonly ListedSession[]>;
  };
}

interface PiManager {
  buildSessionContext(): ReturnType<OpenSession["context"]>;
  getTree(): readonly TreeNode[];
  appendMessage(message: unknown): string;
  createBranchedSession(leafId: string | null): string;
  getLeafId(): string | null;
  getSessionFile(): string;
}

/** The main module of an installed package of pi's. */
export function piEntry(folder: string, packageName: string): string {
  return join(folder, "node_modules", packageName, "dist/index.js");
}

export async function piContender(entry: string): Promise<Contender> {
  const { SessionManager }: PiModule = await import(pathToFileURL(entry).href);
  return {
    open: (file, { folder }) => asOpen(SessionManager.open(file, folder)),
    create: ({ folder }) => asOpen(SessionManager.create(cwd, folder)),
    copy: (file, { folder }) => SessionManager.forkFrom(file, cwd, folder).getSessionFile(),
    list: (folder) => SessionManager.list("/home/dev/project", folder),
    async search(folder, phrase) {
      const sessions = await SessionManager.list("/home/dev/project", folder);
      return sessions.filter(({ allMessagesText }) => allMessagesText?.includes(phrase)).length;
    },
  };
}

function asOpen(manager: PiManager): OpenSession {
  return {
    context: () => manager.buildSessionContext(),
    tree: () => manager.getTree(),
    walk: (visit) => visitNodes(manager.getTree(), visit),
    append: (message) => manager.appendMessage(message),
    fork: () => manager.createBranchedSession(manager.getLeafId()),
  };
}
