import { SessionManager } from "bough/session-manager";
import type { Contender, OpenSession } from "./contender.ts";
import { visitNodes } from "./contender.ts";

const cwd = process.cwd();

/** bough's synchronous face, which has pi's methods. */
export const contender: Contender = {
  open: (file, { folder, durability = "process" }) =>
    asOpen(SessionManager.open(file, folder, undefined, { durability })),
  create: ({ folder, durability = "process" }) => asOpen(SessionManager.create(cwd, folder, { durability })),
  async copy(file, { folder }) {
    const copy = SessionManager.forkFrom(file, cwd, folder, { durability: "process" });
    await copy.close();
    return copy.getSessionFile() as string;
  },
  list: (folder) => SessionManager.listAll(folder),
};

function asOpen(manager: SessionManager): OpenSession {
  return {
    context: () => manager.buildSessionContext(),
    tree: () => manager.getTree(),
    walk: (visit) => visitNodes(manager.getTree(), visit),
    append: (message) => manager.appendMessage(message),
    fork: () => manager.createBranchedSession(manager.getLeafId() as string) as string,
    close: () => manager.close(),
  };
}
