import { DirectoryRepo } from "bough/directory";
import { asOpen } from "./bough-jsonl.ts";
import type { Contender } from "./contender.ts";

/** `Session` over folders with a file an entry. */
export const contender: Contender = {
  open: async (path, { folder, durability = "process" }) =>
    asOpen(await new DirectoryRepo({ root: folder, durability }).open(path)),
  create: async ({ folder, durability = "process" }) =>
    asOpen(await new DirectoryRepo({ root: folder, durability }).create()),
};
