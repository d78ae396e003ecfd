import { createModels } from "@earendil-works/pi-ai";
import { MemoryRepo } from "bough/memory";
import { ExtensionHost, loadExtensions } from "../../src/index.ts";

/** Says which commands the extensions of a home and a project bring, and which of them failed. */
const [home, cwd] = process.argv.slice(2) as [string, string];
const { extensions, failures } = await loadExtensions({ home, cwd });
const session = await new MemoryRepo().create();
const host = await ExtensionHost.open({ session, extensions, harness: { models: createModels() } });
console.log(JSON.stringify([host.commands.map(({ name }) => name), failures.map(({ extension }) => extension)]));
await host.close();
