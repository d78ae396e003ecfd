import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { JsonlRepo } from "../../../src/storage/jsonl/index.ts";
import { sessionConformance } from "../../../src/testing/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

sessionConformance(
  { test, skip: (name, reason) => test.skip(`${name} (${reason})`) },
  {
    name: "JSONL",
    async create() {
      const root = join(temporaryFolder(), "sessions");
      return {
        openRepo: async () => new JsonlRepo({ root }),
        async stored(id) {
          const { location } = await new JsonlRepo({ root }).store.resolve(id);
          return readFileSync(location as string, "utf8");
        },
      };
    },
  },
);
