import { type ContextUsage, getContextUsage } from "bough";
import type { AgentHarness } from "../harness.ts";
import { modelRef } from "../settings.ts";
import { snapshotOf } from "../snapshot.ts";
import type {
  CompactRequest,
  ExtensionCommandContext,
  ExtensionContext,
  ExtensionUI,
  Replaced,
  ReplacementOptions,
} from "./extension-context.ts";
import { modelRegistryOf } from "./model-registry.ts";
import type { Replacements } from "./replacements.ts";
import type { SessionBinding } from "./session-binding.ts";
import { sessionReadsOf } from "./session-reads.ts";
import { runAsNobody } from "./stray-failures.ts";

/** Where an extension is: one frozen object whose members look at the moment. */
export function contextOf(extension: string, binding: SessionBinding, ui: ExtensionUI | undefined): ExtensionContext {
  const reads = sessionReadsOf(binding);
  const shown = Object.freeze(ui ? { ...boundUI(ui) } : silentUI);
  return Object.freeze({
    get cwd() {
      return binding.session.header.cwd;
    },
    get sessionManager() {
      binding.requireCurrent();
      return reads;
    },
    get modelRegistry() {
      return modelRegistryOf(binding.harness.models);
    },
    get model() {
      return snapshotOf(binding.harness.model);
    },
    get thinkingLevel() {
      return binding.harness.thinkingLevel;
    },
    get signal() {
      const { signal } = binding.harness;
      return signal && AbortSignal.any([signal]);
    },
    get hasUI() {
      binding.requireCurrent();
      return ui !== undefined;
    },
    get ui() {
      binding.requireCurrent();
      return shown;
    },
    getContextUsage: () => usageOf(binding.harness, reads),
    compact: (request: string | CompactRequest = {}) => {
      const wishes: CompactRequest = typeof request === "string" ? { customInstructions: request } : request;
      const { customInstructions: instructions, onComplete, onError } = wishes;
      const compact = (harness: AgentHarness) => harness.compact(instructions === undefined ? {} : { instructions });
      runAsNobody(() => binding.whenIdle(compact))
        .then(onComplete, onError)
        .catch((error: unknown) => binding.report(extension, "compact", error));
    },
    isIdle: () => binding.harness.isIdle,
    abort: () => void binding.act(extension, "abort", async (harness) => void (await harness.abort())),
    hasPendingMessages: () => binding.harness.hasPendingMessages,
  });
}

/** The same, with what only commands may do. `contextAfter`: of the same extension in the session that is at work by then. */
export function commandContextOf(
  ctx: ExtensionContext,
  binding: SessionBinding,
  replacements: Replacements,
  contextAfter: () => ExtensionCommandContext,
): ExtensionCommandContext {
  const goOn = async <R extends Replaced>(outcome: R, { withSession }: ReplacementOptions): Promise<R> => {
    if (!outcome.cancelled) await withSession?.(contextAfter());
    return outcome;
  };
  const members: Omit<ExtensionCommandContext, keyof ExtensionContext> = {
    waitForIdle: async () => await binding.harness.waitForIdle(),
    newSession: async (options = {}) => await goOn(await replacements.newSession(binding, options), options),
    fork: async (entryId, options = {}) => await goOn(await replacements.fork(binding, entryId, options), options),
    branch: async (entryId, options = {}) => await goOn(await replacements.branch(binding, entryId), options),
    switchSession: async (name, options = {}) => await goOn(await replacements.switchSession(binding, name), options),
    navigateTree: async (targetId, options) => await binding.harness.navigateTree(targetId, options),
  };
  return Object.freeze(Object.defineProperties(Object.create(ctx), Object.getOwnPropertyDescriptors(members)));
}

function usageOf(harness: AgentHarness, reads: ExtensionContext["sessionManager"]): ContextUsage | null {
  const { model } = harness;
  const { contextBuildOptions: context } = harness.session;
  return getContextUsage(reads.getActivePath(), {
    model: modelRef(model),
    context,
    contextWindow: model?.contextWindow,
  });
}

function boundUI(ui: ExtensionUI): ExtensionUI {
  return { notify: (text, level) => ui.notify(text, level), setEditorText: (text) => ui.setEditorText(text) };
}

const silentUI: ExtensionUI = { notify: () => undefined, setEditorText: () => undefined };
