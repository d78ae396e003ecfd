import type { Api, Model, Models } from "@earendil-works/pi-ai";
import { snapshotOf } from "../snapshot.ts";
import type { ModelRegistry } from "./extension-context.ts";

/** What extensions may look up: no keys, and nothing that changes which models there are. */
export function modelRegistryOf(models: Models): ModelRegistry {
  return Object.freeze({
    getProviders: () => models.getProviders().map(({ id, name }) => ({ id, name })),
    getModels: (provider?: string) => snapshotOf(models.getModels(provider)),
    getModel: (provider: string, id: string) => snapshotOf(models.getModel(provider, id)),
    getAvailable: async (provider?: string) => snapshotOf(await models.getAvailable(provider)),
    hasAuth: async (model: Model<Api>) => (await models.getAuth(model)) !== undefined,
  });
}
