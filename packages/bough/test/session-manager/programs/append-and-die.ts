import { writeSync } from "node:fs";
import { assistant, user } from "../../../src/index.ts";
import { SessionManager } from "../../../src/session-manager/index.ts";

const manager = SessionManager.create("/w", process.argv[2]);
const appends = [
  () => manager.appendModelChange("p", "m"),
  () => manager.appendMessage(user("long prompt")),
  () => manager.appendMessage(assistant("answer")),
];
for (const append of appends) writeSync(1, `${append()}\n`);
process.kill(process.pid, "SIGKILL");
