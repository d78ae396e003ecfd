import type { Command } from "./cli.ts";
import type { CommandName } from "./command-table.ts";

/** The code of each command, imported when it runs. */
export const commandLoaders: Readonly<Record<CommandName, () => Promise<Command<never>>>> = {
  list: async () => (await import("./commands/list.ts")).list,
  search: async () => (await import("./commands/search.ts")).search,
  tree: async () => (await import("./commands/tree.ts")).tree,
  show: async () => (await import("./commands/show.ts")).show,
  context: async () => (await import("./commands/context.ts")).context,
  stats: async () => (await import("./commands/stats.ts")).stats,
  watch: async () => (await import("./commands/watch.ts")).watch,
  chat: async () => (await import("./commands/chat.ts")).chat,
  append: async () => (await import("./commands/append.ts")).append,
  goto: async () => (await import("./commands/goto.ts")).goto,
  fork: async () => (await import("./commands/fork.ts")).fork,
  label: async () => (await import("./commands/label.ts")).label,
  rename: async () => (await import("./commands/rename.ts")).rename,
  compact: async () => (await import("./commands/compact.ts")).compact,
  export: async () => (await import("./commands/export.ts")).exportSession,
  check: async () => (await import("./commands/check.ts")).check,
  repair: async () => (await import("./commands/repair.ts")).repair,
  migrate: async () => (await import("./commands/migrate.ts")).migrate,
  delete: async () => (await import("./commands/delete.ts")).deleteSession,
  undelete: async () => (await import("./commands/undelete.ts")).undelete,
  trash: async () => (await import("./commands/trash.ts")).trash,
  demo: async () => (await import("./commands/demo.ts")).demo,
  completion: async () => (await import("./commands/completion.ts")).completion,
};
