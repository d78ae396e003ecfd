/**
 * A run with two model calls, three tools, a steer, a follow-up and a compaction, in a process of its own that kills
 * itself at the given step: before or after a write or an effect. Started again on the same folder it goes on.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createModels,
  type FauxResponseFactory,
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
} from "@earendil-works/pi-ai";
import type { Session } from "bough";
import { JsonlRepo } from "bough/jsonl";
import { refusal } from "../../../bough/test/context/provider-valid.ts";
import { AgentHarness, type HarnessTool } from "../../src/index.ts";

const [root = "", killAt = "0", mode = "sequential"] = process.argv.slice(2);
const ledgerFile = join(root, "ledger.txt");
let steps = 0;

/** What the world remembers of effects, whatever becomes of the process. */
function ledger(line: string): void {
  appendFileSync(ledgerFile, `${line}\n`);
}

function remembers(line: string): boolean {
  return existsSync(ledgerFile) && readFileSync(ledgerFile, "utf8").split("\n").includes(line);
}

function step(): void {
  if (++steps === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

const repo = new JsonlRepo({ root: join(root, "sessions") });
const session = (await repo.open("crash", { create: true })) as Session;
const append = session.storage.append.bind(session.storage);
session.storage.append = async (request) => {
  step();
  const ids = await append(request);
  step();
  return ids;
};

function effectful(name: string, more: Partial<HarnessTool>, during?: () => Promise<void>): HarnessTool {
  const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  return {
    ...{ name, label: name, description: name, parameters },
    execute: async (_, { text }, _signal, _update, call) => {
      step();
      ledger(`effect ${name} ${text} ${call?.key}`);
      step();
      await during?.();
      return { content: [{ type: "text", text: `${name} did ${text}` }], details: undefined };
    },
    ...more,
  };
}

/** Said by somebody who can't know whether it arrived if the process dies over it, and doesn't say it again. */
async function sayOnce(queue: "steer" | "followUp", text: string): Promise<void> {
  if (remembers(`sent ${text}`)) return;
  ledger(`sent ${text}`);
  await harness[queue](text);
  ledger(`acknowledged ${text}`);
}

const tools = [
  effectful("safe", { replay: "safe" }, () => sayOnce("steer", "faster")),
  effectful("unsafe", { replay: "unsafe" }, () => sayOnce("followUp", "more")),
  effectful("probed", {
    replay: "probe",
    probe: async (_, { key }) => {
      step();
      const done = remembers(`effect probed p ${key}`);
      return done ? { content: [{ type: "text", text: "probed did p" }], details: undefined } : "not_started";
    },
  }),
];

/** Answers what it sees, so that it doesn't matter which process asks. */
const answer: FauxResponseFactory = (context) => {
  step();
  const [, ...conversation] = context.messages;
  const fault = refusal(conversation);
  if (fault) ledger(`invalid ${fault}`);
  const last = conversation.at(-1);
  const text = last?.role === "user" ? textOf(last.content) : "";
  if (text !== "go") return fauxAssistantMessage(last?.role === "toolResult" ? "worked" : `answer to ${text}`);
  const wanted = [
    fauxToolCall("safe", { text: "s" }),
    fauxToolCall("unsafe", { text: "u" }),
    fauxToolCall("probed", { text: "p" }),
  ];
  return fauxAssistantMessage(wanted, { stopReason: "toolUse" });
};

function textOf(content: string | readonly { type: string; text?: string }[]): string {
  return typeof content === "string" ? content : content.map((block) => block.text ?? "").join("");
}

const faux = fauxProvider();
const models = createModels();
models.setProvider(faux.provider);
faux.setResponses(Array.from({ length: 20 }, () => answer));

const harness = await AgentHarness.open({
  ...{ session, models, model: faux.getModel(), tools, systemPrompt: "Be brief.", maxAttempts: 20 },
  toolExecution: mode === "parallel" ? "parallel" : "sequential",
  summarizer: async () => {
    step();
    return { content: "What was said and done so far." };
  },
  compaction: { keepRecentTokens: 10 },
});
ledger(`recovered ${JSON.stringify(harness.recovered)}`);
const wasSaid = (await session.getEntries()).some((entry) => entry.type === "message");
if (!wasSaid) await harness.prompt("go");
else if (harness.recovered.status === "interrupted" || harness.hasPendingMessages) await harness.continue();
if ((await session.findEntries("compaction")).length === 0) await harness.compact({ keep: { tokens: 1 } });
await harness.close();
await repo.close();
process.stdout.write(`${steps}\n`);
