/** One process works on a session, another watches it: `node 04-watch.ts` starts itself a second time. */
import { spawn } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assistant, user } from "bough";
import { JsonlRepo } from "bough/jsonl";
import { describeEntry } from "bough/outline";

const [, program, path] = process.argv;
if (path === undefined) await watch(program as string);
else await work(path);

async function watch(self: string): Promise<void> {
  const repo = new JsonlRepo({ root: await mkdtemp(join(tmpdir(), "bough-example-")) });
  const session = await repo.create();
  const worker = [...process.execArgv, self, session.storage.ref.location as string];
  spawn(process.execPath, worker, { stdio: "inherit" });
  for await (const entry of session.watch({ interval: 20 })) {
    console.log(describeEntry(entry));
    if (entry.type === "session_info") break;
  }
  await repo.close();
}

async function work(location: string): Promise<void> {
  const repo = new JsonlRepo({ root: "." });
  const session = await repo.open(location);
  await session.appendMessage(user("Is anybody watching?"));
  await session.appendMessage(assistant("Yes."));
  await session.appendSessionName("done");
  await repo.close();
}
