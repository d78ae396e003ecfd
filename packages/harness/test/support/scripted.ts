import {
  createModels,
  type FauxResponseStep,
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
  type MutableModels,
  type RegisterFauxProviderOptions,
} from "@earendil-works/pi-ai";
import { Session } from "bough";
import { MemoryStorage } from "bough/memory";
import { AgentHarness, type HarnessEvent, type HarnessOptions, type HarnessTool } from "../../src/index.ts";

/** A model that says what it is told to, in order. */
export function scripted(steps: readonly FauxResponseStep[], options: RegisterFauxProviderOptions = {}) {
  const faux = fauxProvider(options);
  const catalogue: MutableModels = createModels();
  catalogue.setProvider(faux.provider);
  faux.setResponses([...steps]);
  return { models: catalogue, model: faux.getModel(), faux };
}

export const says = fauxAssistantMessage;

export function calls(name: string, args: Record<string, unknown>, id = `call-${name}`) {
  return fauxAssistantMessage(fauxToolCall(name, args as never, { id }), { stopReason: "toolUse" });
}

// biome-ignore lint/suspicious/noExplicitAny: arguments are what a test says
export function tool(name: string, run: (args: any) => string | Promise<string>, more: Partial<HarnessTool> = {}) {
  const parameters = { type: "object", properties: { text: { type: "string" } } };
  const execute: HarnessTool["execute"] = async (_, args) => {
    return { content: [{ type: "text", text: await run(args) }], details: undefined };
  };
  return { name, label: name, description: name, parameters, execute, ...more } satisfies HarnessTool;
}

export async function open(
  steps: readonly FauxResponseStep[],
  options: Partial<HarnessOptions> = {},
  provider: RegisterFauxProviderOptions = {},
) {
  const { models, model, faux } = scripted(steps, provider);
  const session = options.session ?? new Session(new MemoryStorage());
  const harness = await AgentHarness.open({ models, model, ...options, session });
  const events: HarnessEvent[] = [];
  harness.subscribe((event) => void events.push(event));
  return { harness, session, faux, events, models, model };
}

/** The path as role or type and text. */
export async function pathOf(session: Session): Promise<string[]> {
  return (await session.getBranch()).map((entry) => {
    if (entry.type === "message") return `${entry.message.role}: ${textOf(entry.message)}`;
    if (entry.type === "custom_message") return `note: ${entry.content}`;
    return entry.type;
  });
}

function textOf(message: object): string {
  const { content } = message as { content: string | { type: string; text?: string; name?: string }[] };
  return typeof content === "string" ? content : content.map((block) => block.text ?? `<${block.name}>`).join("");
}
