import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Command as CommanderCommand, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Cli } from "./cli.ts";
import { commandLoaders } from "./command-loaders.ts";
import { type CommandName, type CommandRow, commandTable, type OptionRow } from "./command-table.ts";
import { overview } from "./overview.ts";
import { version } from "./version.ts";

/** Runs one command line; resolves with the exit code. */
export async function run(args: readonly string[], cli: Cli): Promise<number> {
  let exitCode = 0;
  const program = parser((name) => async (positional, options) => {
    const command = await commandLoaders[name]();
    exitCode = (await command(cli, positional, options as never)) ?? 0;
  });
  try {
    await program.parseAsync(withoutCommand(args, cli), { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { report } = await import("./failure.ts");
    return await report(error, cli);
  }
}

type Action = (positional: readonly string[], options: object) => Promise<void>;

function parser(actionOf: (name: CommandName) => Action): CommanderCommand {
  const program = new CommanderCommand("bough")
    .version(version(), "-V, --version", "print the version")
    .configureOutput({ outputError: (message, write) => write(usageError(message)) })
    .exitOverride();
  for (const row of commandTable) addCommand(program, row, actionOf(row.name));
  program.addHelpCommand(new CommanderCommand("help").argument("[command]").helpOption(false));
  program.helpInformation = overview;
  return program;
}

function usageError(message: string): string {
  const remedy = /^error: unknown option/.test(message)
    ? "What begins with a dash and is no option stands behind `--`, as in `bough search -- '-tool:bash retry'`."
    : "`bough help` and `bough help <command>` say what can be typed.";
  return `${message.replace(/^error:/, "bough: usage:").trimEnd()}\n  ${remedy}\n`;
}

function addCommand(program: CommanderCommand, row: CommandRow, action: Action): void {
  const command = program
    .command(`${row.name} ${row.arguments}`.trim())
    .description(row.details === undefined ? sentence(row.summary) : `${sentence(row.summary)}\n\n${row.details}`)
    .addHelpText("after", `\nExamples:\n${row.examples.map((example) => `  ${example}`).join("\n")}`);
  for (const option of row.options) command.addOption(parsedOption(option));
  command.action(async (...received: unknown[]) => {
    const positional = command.processedArgs.filter((argument): argument is string => argument !== undefined);
    await action(positional, received.at(-2) as object);
  });
}

function parsedOption({ flags, description, choices, isCount, defaultValue }: OptionRow): Option {
  const option = new Option(flags, description);
  if (choices) option.choices(choices);
  if (isCount) option.argParser(count);
  if (defaultValue !== undefined) option.default(defaultValue);
  return option;
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 1.");
  return Number(text);
}

/** `bough` alone lists, `bough FILE` draws the file's tree. */
function withoutCommand(args: readonly string[], cli: Cli): readonly string[] {
  const [first] = args;
  if (first === undefined) return ["list"];
  const isCommand = first === "help" || commandTable.some(({ name }) => name === first);
  if (isCommand || first.startsWith("-")) return args;
  return looksLikePath(first) || existsSync(resolve(cli.cwd, first)) ? ["tree", ...args] : args;
}

function looksLikePath(text: string): boolean {
  return /[\\/]|\.jsonl$/.test(text);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
