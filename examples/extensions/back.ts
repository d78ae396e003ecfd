/** `/back` takes back what was said last, `/back 3` the last three things: the leaf moves, nothing is lost. */
import type { ExtensionAPI } from "@bough/harness";

export default function back(api: ExtensionAPI): void {
  api.registerCommand("back", {
    description: "goes back before what you said last, or that many things ago",
    handler: async (args, ctx) => {
      await ctx.waitForIdle();
      const said = ctx.sessionManager
        .getBranch()
        .filter((entry) => entry.type === "message" && entry.message.role === "user");
      const target = said.at(-Math.max(1, Number(args) || 1));
      if (!target) return ctx.ui.notify("There is nothing to go back to", "warning");
      const outcome = await ctx.navigateTree(target.id, { summarize: false });
      if (!outcome.cancelled && outcome.editorText !== undefined) ctx.ui.setEditorText(outcome.editorText);
    },
  });
}
