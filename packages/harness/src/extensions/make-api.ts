import type { AgentHarness } from "../harness.ts";
import type { NoteInput } from "../input.ts";
import type { ExtensionAPI, SendMessageOptions } from "./extension.ts";
import type { ExtensionContext } from "./extension-context.ts";
import type { RegisteredHandler } from "./registrations.ts";
import { invalid, type SessionBinding } from "./session-binding.ts";

/** Who keeps what an extension registers, and for which session. */
export interface Registrar extends Pick<ExtensionAPI, "registerCommand" | "registerTool" | "registerMessageRenderer"> {
  readonly extension: string;
  readonly binding: SessionBinding;
  readonly ctx: ExtensionContext;
  on(name: RegisteredHandler["name"], handler: RegisteredHandler["handler"]): () => void;
}

/** What one extension is handed: one frozen object, whose calls act on the session that the extension was started for. */
export function apiOf(registrar: Registrar): ExtensionAPI {
  const { extension, binding } = registrar;
  const act = <T>(what: string, work: (harness: AgentHarness) => Promise<T>) => binding.act(extension, what, work);
  return Object.freeze<ExtensionAPI>({
    on: (name, handler) => registrar.on(name, handler as never),
    registerCommand: (name, command) => registrar.registerCommand(name, command),
    registerTool: (tool) => registrar.registerTool(tool),
    registerMessageRenderer: (customType, renderer) => registrar.registerMessageRenderer(customType, renderer),

    sendMessage: (message, options = {}) =>
      act("sendMessage", async (harness) => {
        if (options.triggerTurn && options.deliverAs !== "nextTurn" && !isRunning(harness)) {
          binding.beginRun(extension, "sendMessage", message);
        } else await deliver(harness, message, options);
      }),
    sendUserMessage: (content, { deliverAs } = {}) =>
      act("sendUserMessage", async (harness) => {
        if (!isRunning(harness)) return binding.beginRun(extension, "sendUserMessage", content);
        if (deliverAs === undefined) throw invalid("the model is at work: deliverAs has to say when the user speaks");
        await harness[deliverAs](content);
      }),
    appendEntry: (customType, data) =>
      act("appendEntry", async (harness) => {
        return await harness.appendMessage({ customType, ...(data !== undefined && { details: data }) });
      }),
    setLabel: (entryId, label) => act("setLabel", async (harness) => void (await harness.appendLabel(entryId, label))),
    setSessionName: (name) =>
      act("setSessionName", async ({ session }) => void (await session.appendSessionName(name))),
    getSessionName: () => registrar.ctx.sessionManager.getSessionName(),

    getActiveTools: () => [...binding.harness.activeToolNames],
    getAllTools: () => binding.harness.tools.map(({ name, description }) => ({ name, description })),
    setActiveTools: (names) => act("setActiveTools", async (harness) => await harness.setActiveTools([...names])),
    setModel: (model) => act("setModel", async (harness) => await harness.setModel(model)),
    getThinkingLevel: () => binding.harness.thinkingLevel,
    setThinkingLevel: (level) => act("setThinkingLevel", async (harness) => await harness.setThinkingLevel(level)),
  });
}

/** Whether what is queued now is said by what is under way. A move in the tree says nothing. */
function isRunning({ phase }: AgentHarness): boolean {
  return phase !== "idle" && phase !== "branch_summary";
}

async function deliver(harness: AgentHarness, message: NoteInput, options: SendMessageOptions): Promise<void> {
  const { triggerTurn, deliverAs = "steer" } = options;
  if (deliverAs === "nextTurn") await harness.nextTurn(message);
  else if (isRunning(harness) && triggerTurn !== false) await harness[deliverAs](message);
  else await harness.appendMessage(message);
}
