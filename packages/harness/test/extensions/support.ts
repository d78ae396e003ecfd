import type { FauxResponseStep } from "@earendil-works/pi-ai";
import { assistant, type Session, user } from "bough";
import { MemoryRepo } from "bough/memory";
import {
  type Extension,
  type ExtensionAPI,
  type ExtensionCommandContext,
  type ExtensionFailure,
  ExtensionHost,
  type ExtensionHostOptions,
  type HarnessChoice,
  type HarnessEvent,
  type HarnessOptions,
  type NamedExtension,
} from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

export interface ExtendedOptions extends Partial<Omit<ExtensionHostOptions, "harness" | "extensions">> {
  readonly harness?: Partial<HarnessOptions>;
  /** Instead of a harness that is the same for every session. */
  readonly choose?: HarnessChoice;
}

/** A scripted model, a session in memory, extensions named `1`, `2`, … and behind them `probe`, whose `api` tests use. */
export async function extended(
  extensions: readonly (Extension | NamedExtension)[],
  steps: readonly FauxResponseStep[] = [],
  options: ExtendedOptions = {},
) {
  const { models, model, faux } = scripted(steps);
  const repo = new MemoryRepo();
  const session = options.session ?? (await repo.create({ cwd: "/project" }));
  const failures: ExtensionFailure[] = [];
  const apis: ExtensionAPI[] = [];
  const probe: NamedExtension = { name: "probe", extension: (api) => void apis.push(api) };
  const host = await ExtensionHost.open({
    sessions: repo,
    onFailure: (failure) => void failures.push(failure),
    ...options,
    session,
    extensions: [
      ...extensions.map((one, index) => (typeof one === "function" ? { name: `${index + 1}`, extension: one } : one)),
      probe,
    ],
    harness: options.choose ?? { models, model, ...options.harness },
  });
  const events: HarnessEvent[] = [];
  host.subscribe((event) => void events.push(event));
  const told = () => failures.map(({ extension, during }) => `${extension} ${during}`);
  // `apis` has one for every session that comes.
  const api = apis[0] as ExtensionAPI;
  return { host, repo, session, faux, model, models, events, failures, told, api, apis };
}

/** Runs `work` as a command, and hands on what it returns or throws. */
export async function asCommand<T>(
  host: ExtensionHost,
  commands: Map<string, (ctx: ExtensionCommandContext) => unknown>,
  work: (ctx: ExtensionCommandContext) => Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  commands.set("work", async (ctx) => await work(ctx).then(resolve, reject));
  await host.runCommand("work");
  return await promise;
}

/** An extension whose command `work` does what it is told. */
export function worker() {
  const commands = new Map<string, (ctx: ExtensionCommandContext) => unknown>();
  const extension: Extension = (api) => {
    api.registerCommand("work", { handler: async (_, ctx) => await commands.get("work")?.(ctx) });
  };
  return { extension, commands };
}

/** What a model writes when it is asked for a summary. */
export const summary = "## Goal\nKeep on counting.\n## Progress\nCounted to three, which is done, and four is next.";

/** Says so many turns of about two hundred tokens. */
export async function converse(session: Session, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await session.appendMessages([user(`${turn} ${"word ".repeat(80)}`), assistant(`ok ${"word ".repeat(80)}`)]);
  }
}

/** Until what was begun without being waited for has come so far. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** The entry that the user said this in, last. */
export async function idOf(session: Session, words: string): Promise<string> {
  const said = (await session.getEntries()).findLast(
    (entry) => entry.type === "message" && "content" in entry.message && entry.message.content === words,
  );
  if (!said) throw new Error(`nobody said ${words}`);
  return said.id;
}
