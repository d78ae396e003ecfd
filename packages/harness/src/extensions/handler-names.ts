import type { HarnessEventName } from "../hooks/events.ts";
import { hookRules } from "../hooks/hook-table.ts";

const events: Readonly<Record<HarnessEventName, true>> = {
  agent_start: true,
  agent_end: true,
  turn_start: true,
  turn_end: true,
  message_start: true,
  message_update: true,
  message_end: true,
  tool_execution_start: true,
  tool_execution_update: true,
  tool_execution_end: true,
  queue_update: true,
  save_point: true,
  abort: true,
  settled: true,
  after_provider_response: true,
  retry_scheduled: true,
  retry_attempt_start: true,
  retry_finished: true,
  compaction_start: true,
  compaction_end: true,
  session_compact: true,
  session_tree: true,
  model_update: true,
  thinking_level_update: true,
  tools_update: true,
  entry_appended: true,
  session_start: true,
  session_shutdown: true,
  hook_error: true,
};

/** Whether there is a hook or an event of that name: a misspelt one would never be called, and nobody would know why. */
export function isHandlerName(name: string): boolean {
  return Object.hasOwn(hookRules, name) || Object.hasOwn(events, name);
}
