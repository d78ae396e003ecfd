import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import type { SessionRepo } from "../../src/index.ts";
import { DirectoryRepo } from "../../src/storage/directory/index.ts";
import { JsonlRepo } from "../../src/storage/jsonl/index.ts";
import { MemoryRepo } from "../../src/storage/memory/index.ts";
import { randomCommands } from "../../src/testing/session-command.ts";
import { SessionWorld, type WorldKeeper } from "../../src/testing/session-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const blocks = Array.from({ length: process.env.BOUGH_CAMPAIGN ? 100 : 1 }, (_, block) => block);
const sequences = 1000;
const commandsEach = 25;

interface Store {
  readonly name: string;
  /** A store of its own, in a folder if it needs one. */
  readonly keeper: (folder: string) => WorldKeeper;
}

const durability = "process";

const stores: readonly Store[] = [
  {
    name: "memory",
    keeper: () => {
      const repo = new MemoryRepo();
      return keeperOf(repo, async (id) => {
        await using session = await repo.open(id);
        return [session.header, ...(await session.getEntries())].map((record) => JSON.stringify(record));
      });
    },
  },
  {
    name: "JSONL",
    keeper: (root) => {
      const repo = new JsonlRepo({ root, durability });
      return keeperOf(repo, async (id) => {
        const { location } = await repo.store.resolve(id);
        return readFileSync(location as string, "utf8")
          .trimEnd()
          .split("\n");
      });
    },
  },
  {
    name: "directory",
    keeper: (root) => {
      return keeperOf(new DirectoryRepo({ root, durability }), async (id) => {
        const entries = join(root, id, "entries");
        const files = readdirSync(entries).sort();
        const paths = [join(root, id, "metadata.json"), ...files.map((name) => join(entries, name))];
        return paths.map((path) => readFileSync(path, "utf8").trimEnd());
      });
    },
  },
];

function keeperOf(repo: SessionRepo, linesOf: (id: string) => Promise<readonly string[]>): WorldKeeper {
  return {
    create: () => repo.create(),
    reopen: (id) => repo.open(id),
    exported: async (id) => (await linesOf(id)).map((line) => `${line}\n`).join(""),
  };
}

describe.each(stores)("on $name", ({ keeper }) => {
  test.each(blocks)(
    `block %i of ${sequences} sequences of commands does what the model does`,
    async (block) => {
      const folder = temporaryFolder();
      for (let seed = block * sequences; seed < (block + 1) * sequences; seed++) {
        const root = join(folder, String(seed));
        await follow(seed, keeper(root));
        rmSync(root, { recursive: true, force: true });
      }
    },
    300_000,
  );
});

/** Fails with the seed and the first command after which session and model differ. */
async function follow(seed: number, keeper: WorldKeeper): Promise<void> {
  const world = await SessionWorld.create(keeper);
  const commands = randomCommands(seed, commandsEach);
  let done = 0;
  try {
    for (; done < commands.length; done++) await world.run(commands[done] as (typeof commands)[number]);
    await world.compare();
  } catch (error) {
    throw new Error(`seed ${seed}, command ${done}: ${JSON.stringify(commands[done])}`, { cause: error });
  } finally {
    await world.close();
  }
}
