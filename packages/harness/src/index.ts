export type { Phase } from "./activity.ts";
export * from "./extensions/index.ts";
export { AgentHarness, type CompactOptions, type ContinueOptions } from "./harness.ts";
export type * from "./hooks/events.ts";
export {
  type HarnessHooks,
  type HookName,
  type HookPayload,
  type HookResult,
  type HookRule,
  hookRules,
  type ToolResultPatch,
  type ToolResultPayload,
} from "./hooks/hook-table.ts";
export type { EventHandler, EventListener, Handler, HandlerOptions, HookHandler, Hooks } from "./hooks/hooks.ts";
export type { QueueMode } from "./inbox.ts";
export type { HarnessInput, NoteInput } from "./input.ts";
export type { NavigateOptions, NavigateOutcome } from "./navigation.ts";
export type { QueueName } from "./operations/operation.ts";
export type { CallOutcome, Recovery } from "./operations/recover.ts";
export type { HarnessOptions } from "./options.ts";
export type { SystemPrompt } from "./parts.ts";
export type { RunOutcome } from "./run.ts";
export { summarizerOfModel } from "./summary-model.ts";
export type { HarnessTool, ReplayPolicy, ToolCallInfo } from "./tools.ts";
export type { TreePreparation } from "./tree-preparation.ts";
