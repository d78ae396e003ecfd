import type { EntryDraft } from "../entry/entry.ts";
import { Random } from "./random.ts";
import { randomText } from "./random-text.ts";

/**
 * What a caller does to a session. Entries are named by number, counted in log order and beyond the last one again from
 * the first, so that any start of a list of commands can be run; `nowhere` is an id that no session has.
 */
export type SessionCommand =
  | { readonly do: "append"; readonly draft: EntryDraft }
  | { readonly do: "label"; readonly target: EntryNumber; readonly text?: string }
  | { readonly do: "name"; readonly name: string }
  | { readonly do: "usage"; readonly input: number }
  | { readonly do: "edit"; readonly target: EntryNumber; readonly content: string | null }
  /** `kept` counts back from the leaf along the path; without it nothing is kept. */
  | { readonly do: "compact"; readonly summary: string; readonly kept?: number }
  | { readonly do: "move"; readonly target: EntryNumber | null; readonly summary?: string }
  /** Another attempt, which the commands that follow go to. */
  | { readonly do: "at"; readonly target: EntryNumber | null }
  | { readonly do: "switch"; readonly to: number }
  | { readonly do: "fork"; readonly target?: EntryNumber; readonly position: "at" | "before" }
  | { readonly do: "reopen" };

export type EntryNumber = number | "nowhere";

const weights = {
  user: 20,
  reply: 20,
  result: 6,
  state: 8,
  custom: 8,
  label: 8,
  name: 3,
  usage: 3,
  edit: 3,
  compact: 3,
  move: 12,
  summary: 4,
  at: 2,
  switch: 4,
  fork: 3,
  reopen: 3,
} as const;

/** Commands that only the seed decides. */
export function randomCommands(seed: number, length: number): SessionCommand[] {
  const random = new Random(seed);
  return Array.from({ length }, () => randomCommand(random));
}

function randomCommand(random: Random): SessionCommand {
  const target = random.chance(0.03) ? "nowhere" : random.integer(1000);
  const kind = random.weighted(weights);
  switch (kind) {
    case "user":
      return message({ role: "user", content: randomText(random), timestamp: 1 });
    case "reply":
      return message(reply(random));
    case "result":
      return message(result(random));
    case "state":
      return { do: "append", draft: random.pick(states) };
    case "custom":
      return { do: "append", draft: { type: "custom", customType: "note", data: { text: randomText(random) } } };
    case "label":
      return {
        do: "label",
        target,
        ...(random.chance(0.8) && { text: random.chance(0.1) ? "  " : randomText(random) }),
      };
    case "name":
      return { do: "name", name: random.chance(0.2) ? " " : ` ${randomText(random)}\n` };
    case "usage":
      return { do: "usage", input: random.integer(1000) };
    case "edit":
      return { do: "edit", target, content: random.chance(0.5) ? null : randomText(random) };
    case "compact":
      return { do: "compact", summary: randomText(random), ...(random.chance(0.7) && { kept: random.integer(10) }) };
    case "move":
      return { do: "move", target: random.chance(0.1) ? null : target };
    case "summary":
      return { do: "move", target, summary: randomText(random) };
    case "at":
      return { do: "at", target: random.chance(0.1) ? null : target };
    case "switch":
      return { do: "switch", to: random.integer(5) };
    case "fork":
      return { do: "fork", position: random.pick(["at", "before"]), ...(random.chance(0.7) && { target }) };
    case "reopen":
      return { do: "reopen" };
  }
}

const states: readonly EntryDraft[] = [
  { type: "model_change", provider: "acme", modelId: "small", model: "acme/small" },
  { type: "model_change", provider: "acme", modelId: "tiny", model: "acme/tiny", role: "smol" },
  { type: "thinking_level_change", thinkingLevel: "high" },
  { type: "thinking_level_change", thinkingLevel: "off" },
  { type: "active_tools_change", activeToolNames: ["read", "bash"] },
  { type: "ttsr_injection", injectedRules: ["style"] },
  { type: "ttsr_injection", injectedRules: ["tests", "style"] },
  { type: "session_init", systemPrompt: "s", task: "t", tools: [] },
  { type: "custom_message", customType: "note", content: "n", display: false },
];

function message(body: object): SessionCommand {
  return { do: "append", draft: { type: "message", message: body } as EntryDraft };
}

function result(random: Random): object {
  const content = [{ type: "text", text: randomText(random) }];
  return { role: "toolResult", toolCallId: "c1", toolName: "read", content, isError: random.chance(0.1), timestamp: 3 };
}

function reply(random: Random): object {
  const input = random.integer(1000);
  const cost = { input: input / 1024, output: 0, cacheRead: 0, cacheWrite: 0, total: input / 1024 };
  const usage = { input, output: 1, cacheRead: 2, cacheWrite: 3, totalTokens: input + 6, cost };
  const origin = { api: "messages", provider: "acme", model: "large" };
  const content = [{ type: "text", text: randomText(random) }];
  return { role: "assistant", content, ...origin, usage, stopReason: "stop", timestamp: 2 };
}
