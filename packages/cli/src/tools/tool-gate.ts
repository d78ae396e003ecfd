import type { HarnessTool } from "@bough/harness";

/** What becomes of a call: it runs, the user is asked, or it is refused. */
export type ToolPolicy = "allow" | "ask" | "deny";

export const toolPolicies: readonly ToolPolicy[] = ["allow", "ask", "deny"];

export interface RequestedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Where its tool works. */
  readonly folder: string;
}

/** `always`: this tool may run for as long as the program does. */
export type Permission = "yes" | "always" | "no";

/** Asks the user; nobody else can. Rejects when aborted. */
export type AskPermission = (call: RequestedCall, signal: AbortSignal | undefined) => Promise<Permission>;

export interface ToolGateOptions {
  readonly policies: Readonly<Record<string, ToolPolicy>>;
  /** Without it, a tool that needs to be asked for is refused. */
  readonly ask: AskPermission | undefined;
}

/**
 * What tools may run. The answer is asked for when a call is about to run, also when it is run again after a crash, and
 * one question at a time. A tool that nobody has a policy for is asked for.
 */
export class ToolGate {
  readonly #policies: Map<string, ToolPolicy>;
  readonly #ask: AskPermission | undefined;
  #asked: Promise<unknown> = Promise.resolve();

  constructor({ policies, ask }: ToolGateOptions) {
    this.#policies = new Map(Object.entries(policies));
    this.#ask = ask;
  }

  /** The tool as it works in `folder`, once that is allowed. */
  guarded(tool: HarnessTool, folder: string): HarnessTool {
    return {
      ...tool,
      execute: async (id, args, signal, onUpdate, call) => {
        await this.#admit({ name: tool.name, arguments: args, folder }, signal);
        return await tool.execute(id, args, signal, onUpdate, call);
      },
    };
  }

  async #admit(call: RequestedCall, signal: AbortSignal | undefined): Promise<void> {
    const { name } = call;
    const turn = this.#asked.then(async () => {
      const policy = this.#policies.get(name) ?? "ask";
      if (policy === "allow") return;
      if (policy === "deny" || !this.#ask) throw new Error(refused(name));
      const permission = await this.#ask(call, signal);
      if (permission === "no") throw new Error(`${name} was not run: the user said no.`);
      if (permission === "always") this.#policies.set(name, "allow");
    });
    this.#asked = turn.catch(() => undefined);
    await turn;
  }
}

function refused(name: string): string {
  return `${name} was not run: it isn't allowed here. The user can allow it with --allow ${name}.`;
}
