import {
  createProvider,
  type Model,
  type Provider,
  type ProviderStreams,
  type SimpleStreamOptions,
} from "@earendil-works/pi-ai";
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
  const api = withoutLimit(openAICompletionsApi());
  return { provider: createProvider({ id: host, baseUrl, auth, models: [model], api }) as Provider, model };
}

/** How long an answer may be is the server's to say, unless the caller does: nothing is known of what it allows. */
function withoutLimit(api: ProviderStreams): ProviderStreams {
  return {
    ...api,
    streamSimple: (model, context, options = {}) => {
      if (options.maxTokens !== undefined) return api.streamSimple(model, context, options);
      const onPayload: SimpleStreamOptions["onPayload"] = async (payload, asked) => {
        const { max_tokens, ...unlimited } = payload as { readonly max_tokens?: number };
        return (await options.onPayload?.(unlimited, asked)) ?? unlimited;
      };
      return api.streamSimple(model, context, { ...options, onPayload });
    },
  };
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username || url?.password)
    throw new UsageError("an address must not hold a password: sessions keep it", "Put the key into BOUGH_API_KEY.");
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`${text} is no address of a server`, "Type one such as http://127.0.0.1:11434/v1.");
}
