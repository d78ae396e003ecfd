import { test } from "vitest";
import { SessionRepo } from "../../../src/index.ts";
import { MemoryStore } from "../../../src/storage/memory/memory-store.ts";
import { sessionConformance } from "../../../src/testing/index.ts";

sessionConformance(
  { test, skip: (name, reason) => test.skip(`${name} (${reason})`) },
  {
    name: "memory",
    async create() {
      const store = new MemoryStore();
      return {
        openRepo: async () => new SessionRepo({ store }),
        async stored(id) {
          const { log } = await store.open({ id });
          const { heads } = await log.changes();
          return await log.read(heads.map((head) => head.position));
        },
      };
    },
  },
);
