import type { AgentHarness } from "@bough/harness";
import type { Session } from "bough";
import { describeEntry, plainLine } from "bough/outline";
import type { Cli } from "../cli.ts";
import { shortId } from "../shown-name.ts";
import type { Chat } from "./chat.ts";
import type { LiveTranscript } from "./live-transcript.ts";
import { nameOf } from "./model-choice.ts";
import { workFolder } from "./work-folder.ts";

const shownEntries = 3;

/** Which session this is, where it stands, and what an earlier process left open in it. */
export async function announce(transcript: LiveTranscript, { cli, model }: Chat, harness: AgentHarness): Promise<void> {
  const { session, recovered } = harness;
  const title = (await session.getSessionName()) ?? session.storage.ref.location ?? session.id;
  await transcript.note("dim", `session ${shortId(session.id)}  ${plainLine(title, 300)}`);
  await transcript.note("dim", `model   ${plainLine(nameOf(model))}`);
  await announceFolder(transcript, cli, session);
  for (const entry of (await session.getActivePath()).filter(({ type }) => type === "message").slice(-shownEntries)) {
    const speaker = entry.type === "message" && entry.message.role === "user" ? "› " : "";
    await transcript.note("dim", `  ${speaker}${describeEntry(entry)}`);
  }
  for (const { toolName, outcome } of recovered.calls) {
    await transcript.note("yellow", `● ${plainLine(toolName)}, when the program ended: ${outcomes[outcome]}`);
  }
  if (recovered.status === "clean") return;
  await transcript.note("yellow", "● the last run was interrupted; /continue takes it up");
}

/** Where the tools work, where that isn't the current folder. */
async function announceFolder(transcript: LiveTranscript, cli: Cli, session: Session): Promise<void> {
  const { cwd } = session.header;
  if (cwd === cli.cwd) return;
  await transcript.note("dim", `folder  ${plainLine(cwd, 1000)}`);
  if (workFolder(session, cli) === cwd) return;
  await transcript.note("yellow", `● that folder is gone; tools work in ${plainLine(cli.cwd, 1000)}`);
}

const outcomes = {
  not_started: "not started",
  rerun: "run again",
  probed: "found out what became of it",
  unknown: "nobody knows whether it took effect",
} as const;

/** Model, how full the context is, and what the session has cost. */
export async function statusLine({ model }: Chat, harness: AgentHarness): Promise<string> {
  const usage = await harness.getContextUsage();
  const { costTotal } = await harness.session.getSessionStats();
  const tokens = usage?.tokens == null ? "" : ` · ${usage.tokens.toLocaleString("en-US")} tokens`;
  const share = usage?.percent == null ? "" : ` (${Math.round(usage.percent)} %)`;
  return `${plainLine(nameOf(model))}${tokens}${share}${costTotal ? ` · $${costTotal.toFixed(2)}` : ""}`;
}
