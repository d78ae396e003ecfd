/** `bun read-with-oh-my-pi.mjs FOLDER FILE`: prints what oh-my-pi tells the model. */
import { join } from "node:path";

const [folder, file] = process.argv.slice(2);
const session = join(folder, "node_modules/@oh-my-pi/pi-coding-agent/src/session");
const { loadEntriesFromFile } = await import(join(session, "session-loader.ts"));
const { buildSessionContext } = await import(join(session, "session-context.ts"));
const entries = (await loadEntriesFromFile(file)).filter((entry) => entry.type !== "session");
const { messages, models, thinkingLevel } = buildSessionContext(entries);
process.stdout.write(JSON.stringify({ messages, model: models.default ?? null, thinkingLevel }));
