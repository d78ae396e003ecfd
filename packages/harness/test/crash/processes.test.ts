import { resolve } from "node:path";
import { JsonlRepo } from "bough/jsonl";
import { expect, onTestFinished, test } from "vitest";
import { runProgram } from "../../../bough/test/support/child.ts";
import { startProgram } from "../../../bough/test/support/running.ts";
import { temporaryFolder } from "../../../bough/test/support/temporary-folder.ts";
import { AgentHarness } from "../../src/index.ts";
import { calls, says, scripted, tool } from "../support/scripted.ts";

const program = (name: string) => resolve(import.meta.dirname, "../programs", name);

test.each(["safe", "unsafe"])("a tool that ends its process (%s) is parked after three attempts", async (replay) => {
  const root = temporaryFolder();
  const found: string[] = [];
  while (found.length < 4) {
    const { stdout, stderr } = await runProgram(program("crash-loop.ts"), [root, replay]);
    expect(stderr).toBe("");
    found.push(stdout);
  }
  // A tool that is safe is run again before anything is said.
  expect(found).toEqual(["clean", replay === "safe" ? "" : "interrupted", "interrupted", "parked"]);
  const repo = new JsonlRepo({ root });
  const session = await repo.open("loop");
  const { models, model } = scripted([says("safe now")]);
  const harness = await AgentHarness.open({ session, models, model });
  expect(harness.recovered.status).toBe("parked");
  expect(await harness.prompt("leave that tool alone")).toMatchObject({ status: "answered" });
  await harness.close();
  await repo.close();
});

test("CC-01 CC-13 a second process is told who drives, may read, append and fork, and drives at once when the first is killed", async () => {
  const root = temporaryFolder();
  const repo = new JsonlRepo({ root });
  const session = await repo.create();
  const driver = startProgram(program("drive.ts"), [root, session.id]);
  onTestFinished(() => driver.kill());
  expect(await driver.nextLine()).toBe("driving");
  const { models, model } = scripted([says("mine now")]);
  await expect(AgentHarness.open({ session, models, model })).rejects.toMatchObject({
    code: "busy",
    details: { id: session.id, holder: expect.stringContaining(String(driver.pid)) },
  });
  await session.appendMessage({ role: "user", content: "anybody may" });
  expect((await (await session.fork()).buildContext()).messages).toHaveLength(1);
  await driver.kill();
  const harness = await AgentHarness.open({ session, models, model });
  expect(await harness.continue()).toMatchObject({ status: "answered" });
  await harness.close();
  await repo.close();
});

test("a session that another went on with meanwhile is taken up where that one left it", async () => {
  const root = temporaryFolder();
  const session = await new JsonlRepo({ root }).create();
  const stale = await new JsonlRepo({ root }).open(session.id);
  const { models, model } = scripted([calls("act", {}), says("paid"), says("next")]);
  const tools = [tool("act", () => "sent", { replay: "safe" })];
  const first = await AgentHarness.open({ session, models, model, tools });
  await first.nextTurn("n");
  await first.prompt("pay");
  await first.close();
  await first.close();
  const harness = await AgentHarness.open({ session: stale, models, model, tools });
  await first.close();
  await expect(AgentHarness.open({ session: stale, models, model })).rejects.toMatchObject({ code: "busy" });
  expect([harness.recovered, harness.hasPendingMessages]).toEqual([{ status: "clean", calls: [] }, false]);
  expect(stale.leafId).toBe(session.leafId);
  await harness.close();
});
