import { MemoryRepo } from "bough/memory";
import { asOpen } from "./bough-jsonl.ts";
import type { Contender } from "./contender.ts";

/** `Session` without any storage: what the engine costs by itself. */
export const contender: Contender = {
  open: () => Promise.reject(new Error("a session in memory has no file to open")),
  create: async () => asOpen(await new MemoryRepo().create()),
};
