import { type Api, createModels, type Model, type MutableModels } from "@earendil-works/pi-ai";
import type { Session } from "bough";
import type { Cli } from "../cli.ts";
import { UsageError } from "../usage-error.ts";
import { demoModel, demoProvider } from "./demo-model.ts";
import { servedModel } from "./served-model.ts";

export interface ModelOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly thinking?: string;
}

/**
 * The models there are: that of a server the user named, the demo, and the catalogue of providers, which is loaded when
 * somebody asks for it. Keys come from the environment.
 */
export class ModelChoice {
  readonly models: MutableModels = createModels();
  readonly #asked: string | undefined;
  readonly #usual: string | undefined;
  readonly #served: Model<Api> | undefined;
  /** Whether the user named the server for this time, and not for all times. */
  readonly #isServerAsked: boolean;
  #catalogue: Promise<void> | undefined;

  constructor({ env }: Pick<Cli, "env">, { model, baseUrl, thinking = "off" }: ModelOptions) {
    this.#asked = model ?? (baseUrl === undefined ? undefined : env.BOUGH_MODEL);
    this.#usual = env.BOUGH_MODEL;
    this.models.setProvider(demoModel().provider);
    this.#isServerAsked = baseUrl !== undefined;
    const url = baseUrl ?? env.BOUGH_BASE_URL;
    const name = this.#asked ?? this.#usual;
    if (url === undefined || name === demoProvider) return;
    if (name === undefined) throw new UsageError("--base-url needs --model", "Name the model as the server does.");
    const served = servedModel({ baseUrl: url, name, apiKey: env.BOUGH_API_KEY, thinks: thinking !== "off" });
    this.models.setProvider(served.provider);
    this.#served = served.model;
  }

  /** What the user asked for when the program was started. */
  async asked(): Promise<Model<Api> | undefined> {
    return this.#asked === undefined ? undefined : await this.find(this.#asked);
  }

  /** What the user wants where neither they nor a session say anything. */
  async usual(): Promise<Model<Api> | undefined> {
    return this.#usual === undefined ? undefined : await this.find(this.#usual);
  }

  /** What a session says, if there is such a model. */
  async of(session: Session): Promise<Model<Api> | undefined> {
    const { model } = await session.buildContext();
    if (!model) return undefined;
    const known = this.models.getModel(model.provider, model.modelId);
    if (known) return known;
    await this.#loadCatalogue();
    return this.models.getModel(model.provider, model.modelId);
  }

  /** By `provider/id`, by an id that only one provider with a key has, or `demo`. Throws a `UsageError`. */
  async find(name: string): Promise<Model<Api>> {
    if (name === demoProvider) return this.models.getModels(demoProvider)[0] as Model<Api>;
    const isServed = this.#served && (name === this.#served.id || name === nameOf(this.#served));
    if (this.#served && isServed && (this.#isServerAsked || !name.includes("/"))) return this.#served;
    await this.#loadCatalogue();
    const [provider = "", ...rest] = name.split("/");
    const exact = this.models.getModel(provider, rest.join("/"));
    if (exact) return exact;
    if (this.#served && isServed) return this.#served;
    const named = (await this.models.getAvailable()).filter(({ id }) => id === name);
    const [only] = named;
    if (only && named.length === 1) return only;
    throw new UsageError(`there is no model ${name}`, hint(name, await this.similar(name)));
  }

  /** Names of models that have this in them, the usable ones if there are any. */
  async similar(part: string, limit = 12): Promise<readonly string[]> {
    await this.#loadCatalogue();
    const fits = (model: Model<Api>) => nameOf(model).toLowerCase().includes(part.toLowerCase());
    const usable = (await this.models.getAvailable()).filter(fits);
    const found = usable.length > 0 ? usable : this.models.getModels().filter(fits);
    return found.slice(0, limit).map(nameOf);
  }

  /** Providers of the catalogue that there is a key for. */
  async usableProviders(): Promise<readonly string[]> {
    await this.#loadCatalogue();
    const providers = new Set((await this.models.getAvailable()).map(({ provider }) => provider));
    providers.delete(demoProvider);
    return [...providers];
  }

  async #loadCatalogue(): Promise<void> {
    this.#catalogue ??= import("@earendil-works/pi-ai/providers/all").then(({ builtinProviders }) => {
      for (const provider of builtinProviders()) this.models.setProvider(provider);
    });
    await this.#catalogue;
  }
}

export function nameOf({ provider, id }: Model<Api>): string {
  return `${provider}/${id}`;
}

function hint(name: string, similar: readonly string[]): string {
  if (similar.length === 0) return "Type provider/id, such as anthropic/claude-opus-4-7, or demo.";
  return `${name.includes("/") ? "There are" : "Type provider/id:"} ${similar.join(", ")}`;
}
