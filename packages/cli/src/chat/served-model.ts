import { createProvider, type Model, type Provider } from "@earendil-works/pi-ai";
import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { UsageError } from "../usage-error.ts";

export interface ServedModelOptions {
  readonly baseUrl: string;
  readonly name: string;
  /** Most servers on one's own machine want none. */
  readonly apiKey: string | undefined;
  readonly thinks: boolean;
}

/** A model of any server that speaks OpenAI's protocol; nothing is known of its window and its prices. */
export function servedModel({ baseUrl, name, apiKey = "none", thinks }: ServedModelOptions): {
  readonly provider: Provider;
  readonly model: Model<"openai-completions">;
} {
  const { host } = urlOf(baseUrl);
  const model: Model<"openai-completions"> = {
    ...{ id: name, name, provider: host, api: "openai-completions", baseUrl, reasoning: thinks },
    input: ["text", "image"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...{ contextWindow: 0, maxTokens: 0 },
    compat: { supportsStore: false, maxTokensField: "max_tokens" },
  };
  const auth = { apiKey: { name: host, resolve: async () => ({ auth: { apiKey } }) } };
  const api = openAICompletionsApi();
  return { provider: createProvider({ id: host, baseUrl, auth, models: [model], api }) as Provider, model };
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`${text} is no address of a server`, "Type one such as http://127.0.0.1:11434/v1.");
}
