import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "bough";
import { DirectoryRepo } from "bough/directory";
import { JsonlRepo } from "bough/jsonl";
import { MemoryRepo } from "bough/memory";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../bough/test/support/temporary-folder.ts";
import { AgentHarness } from "../src/index.ts";
import { calls, pathOf, says, scripted, tool } from "./support/scripted.ts";

const repos = {
  memory: () => new MemoryRepo(),
  jsonl: () => new JsonlRepo({ root: temporaryFolder() }),
  directory: () => new DirectoryRepo({ root: temporaryFolder() }),
};

test.each(Object.entries(repos))("%s: a run, what waits, and one driver", async (_, makeRepo) => {
  const repo = makeRepo();
  const session = (await repo.create()) as Session;
  const { models, model, faux } = scripted([calls("act", {}), says("done")]);
  const options = { models, model, tools: [tool("act", () => "ok")] };
  const harness = await AgentHarness.open({ session, ...options });
  await harness.prompt("go");
  await harness.nextTurn("later");
  const same = (await repo.open(session.id)) as Session;
  await expect(AgentHarness.open({ session: same, ...options })).rejects.toMatchObject({ code: "busy" });
  await harness.close();
  faux.setResponses([says("on")]);
  const next = await AgentHarness.open({ session: same, ...options });
  expect(next.recovered).toEqual({ status: "clean", calls: [] });
  await next.prompt("more");
  expect(await pathOf(same)).toEqual([
    ...["model_change", "user: go", "assistant: <act>", "toolResult: ok", "assistant: done"],
    ...["user: later", "user: more", "assistant: on"],
  ]);
  await next.close();
  await repo.close();
});

test("a session of an older version is upgraded by the run that continues it, under the lease of its driver", async () => {
  const root = temporaryFolder();
  const file = join(root, "old.jsonl");
  const message = { role: "user", content: "from long ago", timestamp: 1 };
  const lines = [
    {
      type: "session",
      id: "old",
      timestamp: "2025-01-01T00:00:00.000Z",
      cwd: root,
      provider: "faux",
      modelId: "faux-1",
    },
    { type: "message", timestamp: "2025-01-01T00:00:01.000Z", message },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const repo = new JsonlRepo({ root });
  const session = await repo.open(file);
  const { models } = scripted([says("at last")]);
  const harness = await AgentHarness.open({ session: session as Session, models });
  expect(harness.model?.id).toBe("faux-1");
  expect(await harness.continue()).toMatchObject({ status: "answered" });
  await harness.close();
  await repo.close();
  expect(readdirSync(root).sort()).toEqual(["old.jsonl", "old.jsonl.v1.bak"]);
  expect(await pathOf((await new JsonlRepo({ root }).open(file)) as Session)).toEqual([
    "user: from long ago",
    "assistant: at last",
  ]);
});

test("a session that is being driven can't be thrown away", async () => {
  const repo = new JsonlRepo({ root: temporaryFolder() });
  const session = await repo.create();
  const { models } = scripted([]);
  const harness = await AgentHarness.open({ session: session as Session, models });
  await expect(repo.delete(session.id)).rejects.toMatchObject({ code: "busy" });
  await harness.close();
  await repo.delete(session.id);
  await repo.close();
});
