import { test } from "vitest";
import { MemoryRepo } from "../../src/storage/memory/index.ts";
import { randomCommands } from "../../src/testing/session-command.ts";
import { SessionWorld, type WorldKeeper } from "../../src/testing/session-world.ts";

const sequences = process.env.BOUGH_CAMPAIGN ? 100_000 : 1000;

function memoryKeeper(): WorldKeeper {
  const repo = new MemoryRepo();
  return {
    create: () => repo.create(),
    reopen: (id) => repo.open(id),
    async exported(id) {
      const session = await repo.open(id);
      const lines = [session.header, ...(await session.getEntries())].map((record) => `${JSON.stringify(record)}\n`);
      await session.close();
      return lines.join("");
    },
  };
}

test(`${sequences} sequences of commands on memory do what the model does`, async () => {
  for (let seed = 0; seed < sequences; seed++) {
    const world = await SessionWorld.create(memoryKeeper());
    const commands = randomCommands(seed, 40);
    let done = 0;
    try {
      for (const command of commands) {
        await world.run(command);
        done++;
      }
      await world.compare();
    } catch (error) {
      throw new Error(`seed ${seed}, command ${done}: ${JSON.stringify(commands[done])}`, { cause: error });
    } finally {
      await world.close();
    }
  }
});
