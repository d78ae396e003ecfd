/** A command as it is parsed, helped with and completed. */
export interface CommandRow {
  readonly name: string;
  readonly group: CommandGroup;
  /** Arguments as help shows them: `<required>`, `[optional]`. */
  readonly arguments: string;
  readonly summary: string;
  readonly details?: string;
  readonly options: readonly OptionRow[];
  readonly examples: readonly string[];
  /** What a shell completes the first argument with. */
  readonly completes?: readonly string[];
}

export type CommandGroup = "Look" | "Continue" | "Share" | "Care" | "Try";

export interface OptionRow {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** A whole number of at least 1. */
  readonly isCount?: true;
  readonly defaultValue?: string;
}

const json: OptionRow = { flags: "--json", description: "print JSON" };
const source: OptionRow = {
  flags: "--source <name>",
  description: "whose sessions: bough's own, those of pi or oh-my-pi, or all of them",
  choices: ["bough", "pi", "omp", "all"],
  defaultValue: "bough",
};
const sorts = ["recent", "created", "threaded"];
const thinkingLevels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
const filters = ["default", "no-tools", "user-only", "labeled-only", "all"];

const rows = [
  {
    name: "list",
    group: "Look",
    arguments: "",
    summary: "list this project's sessions, newest first",
    options: [
      { flags: "--cwd <dir>", description: "of the project in this directory" },
      { flags: "--all", description: "of all projects" },
      { flags: "--named", description: "only those with a name" },
      {
        flags: "--since <when>",
        description: "only those with a message since a date, or in the last 30m, 12h, 3d, 2w",
      },
      { flags: "--model <text>", description: "only those in which a model answered whose name has this in it" },
      { flags: "--sort <order>", description: "what comes first", choices: sorts, defaultValue: "recent" },
      source,
      { flags: "--limit <n>", description: "at most so many", isCount: true },
      json,
    ],
    examples: [
      "bough list",
      "bough list --all --named --limit 10",
      "bough list --since 2d --sort threaded",
      "bough list --all --source pi",
    ],
  },
  {
    name: "search",
    group: "Look",
    arguments: "<query>",
    summary: "find entries in all that was ever said",
    details:
      'All words of the query must occur, in any order; "words in quotes" follow each other. `role:user`, `tool:bash`, ' +
      "`label:done` (`label:` alone: any label) and `in:src/app` narrow it, `re:PATTERN` is a regular expression, and `-` " +
      "in front of any of these means the opposite (a query that begins with it stands behind `--`). Case doesn't matter.",
    options: [
      { flags: "--cwd <dir>", description: "of the project in this directory" },
      { flags: "--all", description: "of all projects" },
      source,
      { flags: "--limit <n>", description: "at most so many", isCount: true },
      json,
    ],
    examples: [
      "bough search 'retry policy'",
      `bough search 'role:user "flaky test"' --all`,
      "bough search 're:TODO\\(.*\\) -tool:bash' --source all --json",
    ],
  },
  {
    name: "tree",
    group: "Look",
    arguments: "[session]",
    summary: "draw a session as a tree",
    options: [
      { flags: "--filter <name>", description: "which entries to show", choices: filters, defaultValue: "default" },
      { flags: "--search <words>", description: "only entries that hold all of these words" },
      { flags: "--at <entry>", description: "as if the conversation stood there" },
      { flags: "--dropped <entry>", description: "only what this compaction took out of the context" },
      json,
    ],
    examples: ["bough tree", "bough tree session.jsonl --filter user-only", 'bough tree @ --search "failing test"'],
  },
  {
    name: "show",
    group: "Look",
    arguments: "<session> <entry>",
    summary: "show one entry in full",
    options: [{ flags: "--dropped", description: "of a compaction: the entries it took out of the context" }, json],
    examples: ["bough show @ leaf", "bough show @ leaf~2 --json", "bough show refactor @before-the-rewrite"],
  },
  {
    name: "context",
    group: "Look",
    arguments: "[session]",
    summary: "show what a model would be sent",
    options: [
      { flags: "--leaf <entry>", description: "as if the conversation stood there" },
      { flags: "--llm", description: "as providers take it: calls paired with results, summaries as messages" },
      json,
    ],
    examples: [
      "bough context",
      "bough context @ --leaf @before-the-rewrite",
      "bough context session.jsonl --llm --json",
    ],
  },
  {
    name: "stats",
    group: "Look",
    arguments: "[session]",
    summary: "count entries, branches, tokens and cost",
    options: [json],
    examples: ["bough stats", "bough stats session.jsonl --json"],
  },
  {
    name: "watch",
    group: "Look",
    arguments: "[session]",
    summary: "print entries as any program appends them",
    options: [{ flags: "--json", description: "print each entry as a line of JSON" }],
    examples: ["bough watch", "bough watch @ --json | jq .type"],
  },
  {
    name: "chat",
    group: "Continue",
    arguments: "",
    summary: "talk with a model that can read, write and run things here",
    details:
      "Begins a session, or goes on with one. Keys of providers come from the environment; without one, `--model demo` " +
      "shows everything offline. What changes something is asked for first; where nobody can be asked it is refused.",
    options: [
      { flags: "--continue", description: "go on with the newest session of this project" },
      { flags: "--session <session>", description: "go on with this session" },
      { flags: "--model <name>", description: "provider/id, demo, or what a server calls it" },
      { flags: "--base-url <url>", description: "a server that speaks OpenAI's protocol" },
      { flags: "--thinking <level>", description: "how much the model thinks", choices: thinkingLevels },
      { flags: "--print <text>", description: "say this (- for standard input), print the answer, and end" },
      { flags: "--allow <tools>", description: "tools that may run unasked: read, write, edit, bash, all" },
      { flags: "--ask <tools>", description: "tools to ask for" },
      { flags: "--deny <tools>", description: "tools that may not run" },
      { flags: "--no-extensions", description: "without the extensions of the user and of this project" },
      { flags: "--json", description: "print what happens as lines of JSON" },
    ],
    examples: [
      "bough chat --model demo",
      "bough chat --continue",
      'bough chat --base-url http://127.0.0.1:11434/v1 --model NAME --print "hello"',
      'bough chat --model anthropic/claude-opus-4-7 --allow edit,bash --print "make the tests pass"',
    ],
  },
  {
    name: "append",
    group: "Continue",
    arguments: "[session]",
    summary: "append entries from standard input, one JSON object per line",
    details:
      "An object with `role` becomes a message, one with `type` an entry. `id` and `parentId` are honoured: the same id " +
      "with the same content is stored once, whoever repeats it. Each id is printed when its entry is safely stored.",
    options: [
      { flags: "--new", description: "create the session first" },
      { flags: "--cwd <dir>", description: "working directory of the new session" },
      { flags: "--json", description: "print the stored entries as lines of JSON" },
    ],
    examples: [
      `echo '{"role":"user","content":"hello"}' | bough append --new`,
      "bough append @ < entries.jsonl",
      "bough append --new --cwd ~/project --json < entries.jsonl",
    ],
  },
  {
    name: "goto",
    group: "Continue",
    arguments: "<session> <entry>",
    summary: "continue from another entry; nothing is lost",
    options: [json],
    examples: ["bough goto @ leaf~2", "bough goto @ @before-the-rewrite", "bough goto @ root"],
  },
  {
    name: "fork",
    group: "Continue",
    arguments: "<session> [entry]",
    summary: "make a new session of the path to an entry, or of the whole tree",
    options: [{ flags: "--before", description: "end before the entry, which must be a message of the user" }, json],
    examples: ["bough fork @ leaf", "bough fork @ 3f9a21bc --before", "bough fork session.jsonl --json"],
  },
  {
    name: "label",
    group: "Continue",
    arguments: "<session> <entry> [text]",
    summary: "label an entry, to return to it as @LABEL; without a text the label goes",
    options: [json],
    examples: ['bough label @ leaf "before the rewrite"', "bough label @ @before-the-rewrite"],
  },
  {
    name: "rename",
    group: "Continue",
    arguments: "<session> <text>",
    summary: "name a session; an empty text clears the name",
    options: [json],
    examples: ['bough rename @ "Payment retries"'],
  },
  {
    name: "compact",
    group: "Continue",
    arguments: "[session]",
    summary: "summarise the start of the context; every entry stays, and going above it undoes it",
    options: [
      { flags: "--instructions <text>", description: "what the summary should dwell on" },
      { flags: "--model <name>", description: "who writes the summary: provider/id, or what a server calls it" },
      { flags: "--base-url <url>", description: "a server that speaks OpenAI's protocol" },
      { flags: "--keep <tokens>", description: "how much of the end stays word for word (20000)", isCount: true },
      json,
    ],
    examples: [
      "bough compact",
      "bough compact @ --keep 5000",
      "bough compact @ --model anthropic/claude-opus-4-7",
      'bough compact @ --instructions "the failing test"',
    ],
  },
  {
    name: "export",
    group: "Share",
    arguments: "[session]",
    summary: "write a session to a file in another form",
    options: [
      { flags: "--jsonl", description: "every entry, in the current version of the session format" },
      { flags: "--markdown", description: "the current path as a transcript to read" },
      { flags: "--julia", description: "every entry, in the form with snake_case names" },
      { flags: "--out <file>", description: "where to; `-` for standard output" },
      { flags: "--leaf <entry>", description: "the path to another entry, in a transcript" },
      { flags: "--force", description: "replace a file that is there" },
    ],
    examples: [
      "bough export --markdown",
      "bough export session.jsonl --jsonl --out v3.jsonl",
      "bough export @ --markdown --out - | less",
    ],
  },
  {
    name: "check",
    group: "Care",
    arguments: "[session]",
    summary: "look for damage, changing nothing",
    options: [json],
    examples: ["bough check", "bough check session.jsonl --json"],
  },
  {
    name: "repair",
    group: "Care",
    arguments: "<session>",
    summary: "write a clean session in place of a damaged one, keeping the old file",
    options: [json],
    examples: ["bough repair session.jsonl"],
  },
  {
    name: "migrate",
    group: "Care",
    arguments: "<session>",
    summary: "bring a file of an older version up to date, keeping the old file",
    options: [json],
    examples: ["bough migrate old-session.jsonl"],
  },
  {
    name: "delete",
    group: "Care",
    arguments: "<session>",
    summary: "move a session to the trash",
    options: [json],
    examples: ["bough delete 3f9a21bc"],
  },
  {
    name: "undelete",
    group: "Care",
    arguments: "<id>",
    summary: "take a session out of the trash",
    options: [json],
    examples: ["bough undelete 3f9a21bc"],
  },
  {
    name: "trash",
    group: "Care",
    arguments: "",
    summary: "list what is in the trash, or destroy it",
    options: [{ flags: "--empty", description: "destroy what is in the trash, for good" }, json],
    examples: ["bough trash", "bough trash --empty"],
  },
  {
    name: "demo",
    group: "Try",
    arguments: "",
    summary: "run a scripted agent, with branches, a compaction and a crash, and look at its session",
    options: [],
    examples: ["bough demo"],
  },
  {
    name: "completion",
    group: "Try",
    arguments: "<shell>",
    summary: "print a completion script for bash, zsh or fish",
    options: [],
    examples: ['eval "$(bough completion bash)"', "bough completion fish > ~/.config/fish/completions/bough.fish"],
    completes: ["bash", "zsh", "fish"],
  },
] as const satisfies readonly CommandRow[];

export type CommandName = (typeof rows)[number]["name"];

export const commandTable: readonly (CommandRow & { readonly name: CommandName })[] = rows;

export const commandGroups: readonly CommandGroup[] = ["Look", "Continue", "Share", "Care", "Try"];
