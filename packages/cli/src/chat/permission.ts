import { resolve } from "node:path";
import { jsonText } from "bough/format";
import { plainLine, plainText } from "bough/outline";
import type { Output } from "../output.ts";
import type { AskPermission, Permission, RequestedCall } from "../tools/tool-gate.ts";
import { withoutControls } from "../write-json.ts";
import type { TerminalInput } from "./terminal-input.ts";

/** Asks on a terminal, and shows what a call would do, and where. What is said besides waits. */
export function permissionFrom(input: Pick<TerminalInput, "line" | "offer">, output: Output): AskPermission {
  return async (call, signal) => {
    const parts = shownCall(call);
    const isLong = call.name !== "bash" && parts.some(({ length }) => length > shownLines);
    const show = async (limit: number) => {
      for (const line of parts.flatMap((part) => beginning(part, limit))) await output.line(`  ${line}`);
    };
    await show(isLong ? shownLines : Number.POSITIVE_INFINITY);
    const choices = `[y]es, [n]o, [a]lways${isLong ? ", [s]how all of it" : ""}: `;
    const prompt = output.paint("yellow", `  Run ${plainLine(call.name)}? ${choices}`);
    while (true) {
      const line = await input.line({ prompt, signal });
      const answer = line?.trim().toLowerCase();
      const permission = answer === undefined ? "no" : answers.get(answer);
      if (permission) return permission;
      if (isLong && (answer === "s" || answer === "show")) await show(Number.POSITIVE_INFINITY);
      else if (answer !== "") await keep(line);
    }
  };

  async function keep(line: string | undefined): Promise<void> {
    input.offer(line);
    await output.line(output.paint("dim", "  (that is no answer; it stands in your next line)"));
  }
}

/** Of each part of a call that isn't shown whole. */
const shownLines = 30;

function beginning(lines: readonly string[], limit: number): readonly string[] {
  if (lines.length <= limit) return lines;
  const rest = lines.length - limit;
  return [...lines.slice(0, limit), `… ${rest} more ${rest === 1 ? "line" : "lines"}`];
}

const answers: ReadonlyMap<string, Permission> = new Map([
  ["y", "yes"],
  ["yes", "yes"],
  ["n", "no"],
  ["no", "no"],
  ["a", "always"],
  ["always", "always"],
]);

type Part = readonly string[];
type Arguments = RequestedCall["arguments"];
type Shape = (args: Arguments, folder: string) => readonly Part[];

function shownCall({ name, arguments: args, folder }: RequestedCall): readonly Part[] {
  return (shapes[name] ?? allArguments)(args, folder);
}

const shapes: Readonly<Record<string, Shape>> = {
  bash: ({ command }, folder) => [[`in ${honest(folder)}`], marked("$ ", command)],
  write: ({ path, content }, folder) => [[whole(path, folder)], marked("+ ", content)],
  edit: ({ path, oldText, newText }, folder) => [[whole(path, folder)], marked("- ", oldText), marked("+ ", newText)],
};

function allArguments(args: Arguments): readonly Part[] {
  return Object.entries(args).map(([name, value]) => `${honest(name)}: ${honest(value)}`.split("\n"));
}

function whole(path: unknown, folder: string): string {
  return honest(typeof path === "string" ? resolve(folder, path) : path);
}

function marked(mark: string, text: unknown): Part {
  return honest(text)
    .split("\n")
    .map((line, index) => (index === 0 || mark !== "$ " ? mark : "  ") + line);
}

/** What can be shown as it is, is; else with everything that a terminal would swallow spelled out. */
function honest(value: unknown): string {
  const text = typeof value === "string" ? value : jsonText(value);
  return plainText(text) === text ? text : withoutControls(JSON.stringify(text));
}
