import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { DirectoryRepo } from "../../../src/storage/directory/index.ts";
import { sessionConformance } from "../../../src/testing/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

sessionConformance(
  { test, skip: (name, reason) => test.skip(`${name} (${reason})`) },
  {
    name: "directory",
    async create() {
      const root = temporaryFolder();
      return {
        openRepo: async () => new DirectoryRepo({ root }),
        async stored(id) {
          const entries = join(root, id, "entries");
          return readdirSync(entries).map((name) => [name, readFileSync(join(entries, name), "utf8")]);
        },
      };
    },
  },
);
