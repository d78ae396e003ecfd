import type { Session, SessionInfo } from "bough";
import { JsonlRepo } from "bough/jsonl";
import type { Contender, ListedSession, OpenSession } from "./contender.ts";

/** `Session` over session files. */
export const contender: Contender = {
  open: async (file, { folder, durability = "process" }) =>
    asOpen(await new JsonlRepo({ root: folder, durability }).open(file)),
  create: async ({ folder, durability = "process" }) =>
    asOpen(await new JsonlRepo({ root: folder, durability }).create()),
  async copy(file, { folder }) {
    const copy = await new JsonlRepo({ root: folder, durability: "process" }).fork(file);
    await copy.close();
    return copy.storage.ref.location as string;
  },
  list: async (folder) => (await new JsonlRepo({ root: folder }).list()).map(listed),
};

/** Any session of bough's asynchronous face. */
export function asOpen(session: Session): OpenSession {
  return {
    context: () => session.buildContext(),
    tree: () => session.getTree(),
    async walk(visit) {
      const tree = await session.readTree();
      for (const { id, parentId } of tree.heads()) visit(id, parentId, tree.labelOf(id));
      return tree.size;
    },
    check: async () => (await session.check()).diagnostics.length,
    append: (message) => session.appendMessage(message),
    async fork() {
      const fork = await session.fork(session.leafId ?? undefined);
      await fork.close();
      return fork.storage.ref.location as string;
    },
    close: () => session.close(),
  };
}

function listed({ path = "", created, modified, ...info }: SessionInfo): ListedSession {
  return { ...info, path, created: new Date(created), modified: new Date(modified) };
}
