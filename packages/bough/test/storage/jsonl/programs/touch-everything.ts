import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { newHeader } from "../../../../src/session/new-header.ts";
import { JsonlStore } from "../../../../src/storage/jsonl/jsonl-store.ts";
import { migrateFile } from "../../../../src/storage/jsonl/migrate.ts";
import { repairFile } from "../../../../src/storage/jsonl/repair.ts";
import { user } from "../records.ts";

/** Makes every kind of file there is under `root`, with the umask given. */
const [root, umask] = process.argv.slice(2) as [string, string];
process.umask(Number.parseInt(umask, 8));
const store = new JsonlStore({ root, durability: "turn" });

async function made(id: string): Promise<string> {
  const { ref, log } = await store.create(newHeader({ id, cwd: "/w/p" }), [[user("u1")]]);
  await log.append([[user("u2", "u1")]]);
  await log.sync();
  await log.close();
  return ref.location as string;
}

await made("created");
const damaged = await made("damaged");
appendFileSync(damaged, "{torn\n");
repairFile(damaged);
await store.remove({ id: "damaged", location: damaged });
for (const name of readdirSync(root)) {
  if (name.endsWith(".jsonl")) migrateFile(join(root, name));
}
