import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a small program with a fault, a check that finds it, and a log, in a new temporary folder. */
export function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "bough-demo-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const files = {
  "deliver.mjs": `/** Sends an event to whoever wants to hear of it. */
export async function deliver(event, send) {
  try {
    await send(event);
  } catch (error) {
    console.warn(\`event \${event.id}: \${error.message}\`);
  }
}
`,
  "check.mjs": `import { deliver } from "./deliver.mjs";

// A receiver that is down for a while.
let attempts = 0;
let arrived = false;
async function send() {
  if (++attempts <= 5) throw new Error("timed out");
  arrived = true;
}

await deliver({ id: 1041 }, send);
for (let waits = 0; waits < 50 && !arrived; waits++) await new Promise((resolve) => setTimeout(resolve, 10));
console.log(arrived ? \`ok: the event arrived at attempt \${attempts}\` : \`FAILED: the event is lost after attempt \${attempts}\`);
process.exitCode = arrived ? 0 : 1;
`,
  "deliveries.log": Array.from({ length: 700 }, (_, index) => logLine(1000 + index)).join(""),
};

function logLine(id: number): string {
  const time = new Date(Date.UTC(2026, 0, 12, 8, 0, id - 1000)).toISOString();
  return `${time} event ${id} ${id % 75 === 66 ? "timed out after 5000 ms" : `delivered in ${100 + ((id * 37) % 200)} ms`}\n`;
}
