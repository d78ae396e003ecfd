import { realpath } from "node:fs/promises";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Extension, NamedExtension } from "./extension.ts";
import { type ExtensionFailure, failureOf } from "./extension-failure.ts";
import { findExtensions } from "./find-extensions.ts";
import { TrustedFolders } from "./trusted-folders.ts";
import { withinTime } from "./within-time.ts";

export interface TrustQuestion {
  /** The project's. */
  readonly folder: string;
  /** What would run. */
  readonly extensions: readonly string[];
}

/** `always` and `never` are remembered. */
export type TrustAnswer = "always" | "once" | "not-now" | "never";

export interface LoadExtensionsOptions {
  /** The project: its extensions are in `.bough/extensions`. */
  readonly cwd: string;
  /** bough's folder in the user's home: its extensions are in `extensions`. */
  readonly home: string;
  /** Asks the user whether a project's extensions may run; without one they don't, unless they were trusted before. */
  readonly askTrust?: (question: TrustQuestion) => Promise<TrustAnswer>;
  /** Milliseconds that a module may take; 10,000 unless given. */
  readonly timeout?: number;
}

export interface LoadedExtensions {
  /** The user's own first, then the project's, each by name. */
  readonly extensions: readonly NamedExtension[];
  readonly failures: readonly ExtensionFailure[];
  /** What was found in the project and left alone. */
  readonly untrusted: readonly string[];
}

/** Loads the user's extensions, and the project's if the user trusts its folder. Never rejects for what a module does. */
export async function loadExtensions(options: LoadExtensionsOptions): Promise<LoadedExtensions> {
  const { cwd, home, timeout = 10_000 } = options;
  const [own, theirs] = await Promise.all([foundIn(join(home, "extensions")), foundIn(join(cwd, ".bough/extensions"))]);
  const project = theirs.paths.filter((path) => !own.paths.includes(path));
  const trusted = project.length > 0 && (await isTrusted(options, project));
  const loaded = await Promise.all([...own.paths, ...(trusted ? project : [])].map((path) => load(path, timeout)));
  return {
    extensions: loaded.filter((one): one is NamedExtension => !("error" in one)),
    failures: [...own.failures, ...theirs.failures, ...loaded.filter((one) => "error" in one)],
    untrusted: trusted ? [] : project,
  };
}

interface Found {
  readonly paths: readonly string[];
  readonly failures: readonly ExtensionFailure[];
}

async function foundIn(folder: string): Promise<Found> {
  try {
    const paths = await findExtensions(folder);
    return { paths: await Promise.all(paths.map((path) => realpath(path).catch(() => path))), failures: [] };
  } catch (error) {
    return { paths: [], failures: [failureOf(folder, "load", error)] };
  }
}

async function isTrusted({ cwd, home, askTrust }: LoadExtensionsOptions, extensions: readonly string[]) {
  const folders = new TrustedFolders(home);
  const decision = await folders.decisionOn(cwd);
  if (decision !== undefined) return decision === "trusted";
  const answer = (await askTrust?.({ folder: await realpath(cwd), extensions })) ?? "not-now";
  if (answer === "always") await folders.decide(cwd, "trusted");
  if (answer === "never") await folders.decide(cwd, "refused");
  return answer === "always" || answer === "once";
}

async function load(path: string, timeout: number): Promise<NamedExtension | ExtensionFailure> {
  providePackages();
  try {
    const module: { readonly default?: unknown } = await withinTime(import(pathToFileURL(path).href), timeout);
    if (typeof module.default !== "function") throw new TypeError("it has no function as its default export");
    return { name: path, extension: module.default as Extension };
  } catch (error) {
    return failureOf(path, "load", error);
  }
}

const provided = /^(bough|@bough\/harness|@earendil-works\/pi-(ai|agent-core))(\/|$)/;
let isProviding = false;

/** Extensions lie where none of these packages is installed: what can't be found from there is found from here. */
function providePackages(): void {
  if (isProviding) return;
  isProviding = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!provided.test(specifier)) throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}
