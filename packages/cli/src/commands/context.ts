import type { AgentMessage } from "bough";
import { toLlmMessages } from "bough/context";
import { describeEntry, plainLine } from "bough/outline";
import type { Cli } from "../cli.ts";
import { explainDiagnostics } from "../diagnostics.ts";
import { findEntry } from "../entry-argument.ts";
import { withSession } from "../session-argument.ts";
import { cutToWidth } from "../text-width.ts";
import { writeJson } from "../write-json.ts";

export interface ContextCommandOptions {
  readonly leaf?: string;
  readonly llm?: true;
  readonly json?: true;
}

export async function context(
  cli: Cli,
  [argument]: readonly string[],
  options: ContextCommandOptions,
): Promise<undefined> {
  await withSession(cli, argument, async (session) => {
    const leafId = options.leaf === undefined ? session.leafId : await findEntry(session, options.leaf);
    const { context: built, diagnostics } = await session.inspectContext({ leafId });
    const messages = options.llm ? toLlmMessages(built.messages) : built.messages;
    const { systemPrompt, model, thinkingLevel, activeToolNames, injectedRules } = built;
    if (options.json) {
      const state = { model, thinkingLevel, activeToolNames, injectedRules };
      await writeJson(cli.stdout, { leafId, systemPrompt, messages, ...state, diagnostics });
      return;
    }
    const { stdout } = cli;
    const facts = {
      model: model ? `${model.provider}/${model.modelId}` : "none yet",
      thinking: thinkingLevel,
      tools: activeToolNames?.join(", "),
      system: systemPrompt,
      messages: messages.length,
    };
    for (const [name, fact] of Object.entries(facts)) {
      if (fact !== undefined) await stdout.line(`${stdout.paint("dim", name.padEnd(9))} ${plainLine(String(fact))}`);
    }
    await stdout.line();
    for (const message of messages) await stdout.line(cutToWidth(describeMessage(message), stdout.width));
    await explainDiagnostics(cli, diagnostics);
  });
}

function describeMessage(message: AgentMessage): string {
  const entry = { type: "message", id: "", parentId: null, timestamp: "", message } as const;
  return `${plainLine(message.role).padEnd(17)} ${describeEntry(entry)}`;
}
