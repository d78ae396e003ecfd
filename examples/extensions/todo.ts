/** A list that the model keeps and that follows the branch: who goes back finds the list as it was. */
import type { ExtensionAPI, ExtensionContext } from "@bough/harness";

interface Kept {
  readonly todos: readonly string[];
}

/** The results of the tool are the state. Nothing is remembered beside them that could be of another branch. */
function todosOn({ sessionManager }: ExtensionContext): readonly string[] {
  const last = sessionManager.getBranch().findLast(({ type, ...entry }) => {
    const { message } = entry as { message?: { role: string; toolName?: string; isError?: boolean } };
    return message?.role === "toolResult" && message.toolName === "todo" && !message.isError;
  });
  return (last as { message: { details: Kept } } | undefined)?.message.details.todos ?? [];
}

export default function todo(api: ExtensionAPI): void {
  api.registerTool({
    name: "todo",
    label: "Todo",
    description: "Adds to the list of what is to be done, and says what is on it.",
    parameters: { type: "object", properties: { add: { type: "string" } }, required: ["add"] },
    executionMode: "sequential",
    replay: "safe",
    execute: async (_id, { add }: { add: string }, _signal, _onUpdate, ctx) => {
      const todos = [...todosOn(ctx), add];
      return { content: [{ type: "text", text: todos.join("\n") }], details: { todos } satisfies Kept };
    },
  });

  api.registerCommand("todos", {
    description: "shows the list of this branch",
    handler: (_, ctx) => ctx.ui.notify(todosOn(ctx).join("\n") || "Nothing to do"),
  });
}
