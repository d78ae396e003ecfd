import { kindOf, type Session } from "bough";
import { Activity } from "./activity.ts";
import { Hooks } from "./hooks/hooks.ts";
import { Inbox } from "./inbox.ts";
import { Journal } from "./operations/journal.ts";
import { readOperations } from "./operations/read-operations.ts";
import { type Recovery, recover } from "./operations/recover.ts";
import type { HarnessOptions } from "./options.ts";
import type { HarnessParts } from "./parts.ts";
import { restoredSettings } from "./restored-settings.ts";
import { defaultRetryPolicy } from "./retry.ts";
import { Settings } from "./settings.ts";

export interface Assembled {
  readonly parts: HarnessParts;
  readonly recovered: Recovery;
}

/** The one place where options become the parts of a harness, after what a dead process left open was closed. */
export async function assembleParts(options: HarnessOptions): Promise<Assembled> {
  const { session, tools = [], maxAttempts = 3 } = options;
  const hooks = new Hooks(options.hookTimeout ?? 30_000);
  const activity = new Activity(session.id);
  await catchUp(session);
  const operations = await readOperations(session);
  const recovered = await recover(session, operations, tools, maxAttempts);
  const { values, unsaid } = await restoredSettings(options);
  const parts: HarnessParts = {
    session,
    models: options.models,
    hooks,
    activity,
    settings: new Settings({ session, hooks, activity }, values, unsaid),
    inbox: new Inbox(session, hooks, operations),
    journal: new Journal(recovered.run, recovered.report.status === "parked"),
    systemPrompt: options.systemPrompt,
    streamOptions: options.streamOptions ?? {},
    toolExecution: options.toolExecution ?? "parallel",
    maxAttempts,
    retry: { ...defaultRetryPolicy, ...options.retry },
    compaction: options.compaction ?? {},
    summarizer: options.summarizer,
    abortGrace: options.abortGrace ?? 5_000,
    steeringMode: options.steeringMode ?? "one-at-a-time",
    followUpMode: options.followUpMode ?? "one-at-a-time",
  };
  return { parts, recovered: recovered.report };
}

/** Others may have driven the session since it was opened: where they went on from its leaf, it goes along. */
async function catchUp(session: Session): Promise<void> {
  const { leafId } = session;
  const { entries } = await session.refresh();
  if (entries.some((entry) => entry.parentId === leafId && kindOf(entry) !== "mark")) {
    await session.refresh({ follow: true });
  }
}
