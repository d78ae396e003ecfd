import type { Cli } from "../cli.ts";
import { type CommandRow, commandTable } from "../command-table.ts";
import { UsageError } from "../usage-error.ts";

const scripts: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export async function completion({ stdout }: Cli, [shell = ""]: readonly string[]): Promise<undefined> {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) throw new UsageError(`no completion for ${shell}`, `Choose one of ${Object.keys(scripts).join(", ")}.`);
  await stdout.write(script());
}

function bash(): string {
  return `_bough() {
  local current="\${COMP_WORDS[COMP_CWORD]}" choices=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    choices="${names().join(" ")} help"
  else
    case "\${COMP_WORDS[1]}" in
${commandTable.map((row) => `      ${row.name}) choices="${wordsOf(row).join(" ")}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _bough bough
`;
}

function zsh(): string {
  return `#compdef bough
_bough() {
  local -a commands choices
  commands=(
${commandTable.map((row) => `    '${row.name}:${quoted(row.summary)}'`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _files
    return
  fi
  case "$words[2]" in
${commandTable.map((row) => `    ${row.name}) choices=(${wordsOf(row).join(" ")}) ;;`).join("\n")}
  esac
  compadd -a choices
  _files
}
compdef _bough bough
`;
}

function fish(): string {
  const lines = commandTable.flatMap((row) => {
    const within = `complete -c bough -n '__fish_seen_subcommand_from ${row.name}'`;
    return [
      `complete -c bough -n __fish_use_subcommand -a ${row.name} -d '${quoted(row.summary)}'`,
      ...(row.completes ?? []).map((word) => `${within} -a ${word}`),
      ...row.options.map(({ flags, description }) => {
        const takesValue = flags.includes("<") ? " -r" : "";
        return `${within} -l ${longName(flags).slice(2)}${takesValue} -d '${quoted(description)}'`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

function names(): readonly string[] {
  return commandTable.map(({ name }) => name);
}

function wordsOf(row: CommandRow): readonly string[] {
  return [...(row.completes ?? []), ...row.options.map(({ flags }) => longName(flags)), "--help"];
}

function longName(flags: string): string {
  return flags.split(" ", 1)[0] as string;
}

function quoted(text: string): string {
  return text.replaceAll("'", "").replaceAll("`", "");
}
