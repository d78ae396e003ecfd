import { mkdirSync } from "node:fs";
import { newHeader } from "../../../../src/session/new-header.ts";
import { JsonlStore } from "../../../../src/storage/jsonl/jsonl-store.ts";
import { user } from "../records.ts";

const [folder] = process.argv.slice(2) as [string];
process.chdir(folder);
mkdirSync("sub");
const store = new JsonlStore({ root: "./sessions", durability: "process" });
const { ref, log } = await store.create(newHeader({ cwd: folder }), [[user("u1")]]);
process.chdir("sub");
await log.append([[user("a1", "u1")]]);
await log.close();
const again = await store.open(await store.resolve(ref.id));
await again.log.append([[user("u2", "a1")]]);
await again.log.close();
