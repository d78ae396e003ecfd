/** `node read-with-pi.mjs FOLDER FILE`: prints what pi tells the model. pi may rewrite FILE. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
const entry = join(folder, "node_modules/@earendil-works/pi-coding-agent/dist/index.js");
const { SessionManager } = await import(pathToFileURL(entry).href);
const { messages, model, thinkingLevel } = SessionManager.open(file).buildSessionContext();
process.stdout.write(JSON.stringify({ messages, model, thinkingLevel }));
