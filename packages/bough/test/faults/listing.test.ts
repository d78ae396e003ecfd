import { expect, test } from "vitest";
import { assistant, user } from "../../src/index.ts";
import { jsonlRepo } from "../support/stories.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("LS-03 without a filter the list has every session, of any project and any provider", async () => {
  const repo = jsonlRepo(temporaryFolder());
  const ids: string[] = [];
  for (const [cwd, provider] of [
    ["/w/a", "x"],
    ["/w/b", "y"],
  ] as const) {
    const session = await repo.create({ cwd });
    await session.appendMessages([user("hello"), { ...assistant("hi"), provider, model: "m" }]);
    ids.push(session.id);
  }
  expect((await repo.list()).map((info) => info.id).sort()).toEqual(ids.sort());
  expect(await repo.list({ cwd: "/w/a" })).toHaveLength(1);
});
