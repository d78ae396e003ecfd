import type { Cli } from "../cli.ts";
import type { ModelChoice } from "./model-choice.ts";

const keys = [
  ["ANTHROPIC_API_KEY", "anthropic/claude-opus-4-7"],
  ["OPENAI_API_KEY", "openai/gpt-5"],
  ["GEMINI_API_KEY", "google/gemini-2.5-pro"],
  ["OPENROUTER_API_KEY", "openrouter/…"],
] as const;

/** In one screen, on standard error: what to set before a model can answer. */
export async function explainModels({ stderr }: Pick<Cli, "stderr">, choice: ModelChoice): Promise<void> {
  const usable = await choice.usableProviders();
  const found = usable.length > 0 ? `\nThere is a key for ${usable.join(", ")}; a model is still to be chosen.\n` : "";
  const rows = keys.map(([key, model]) => `  ${`export ${key}=…`.padEnd(32)} bough chat --model ${model}`);
  await stderr.line(`No model is set.
${found}
To try everything without one, offline:
  bough chat --model demo

A model on your own machine (Ollama, llama.cpp, vLLM, LM Studio: whatever speaks OpenAI's protocol):
  bough chat --base-url http://127.0.0.1:11434/v1 --model NAME
  A server that wants a key takes it from BOUGH_API_KEY.

A provider, with its key in the environment:
${rows.join("\n")}
  and all others that pi has: /model NAME in a conversation lists those that fit.

To choose once for always: export BOUGH_MODEL=provider/id, and BOUGH_BASE_URL for a server.`);
}
