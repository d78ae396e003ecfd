import { jsonText } from "bough/format";
import { plainText } from "bough/outline";
import type { Output } from "../output.ts";
import type { AskPermission, Permission, RequestedCall } from "../tools/tool-gate.ts";
import { withoutControls } from "../write-json.ts";
import type { Input } from "./input.ts";

const shownLines = 60;

/** Asks on a terminal whether a call may run, and shows what it would do: of a command all. */
export function permissionFrom(input: Input, output: Output): AskPermission {
  return async (call, signal) => {
    const lines = shownCall(call);
    for (const line of lines.slice(0, shownLines)) await output.line(`  ${line}`);
    if (lines.length > shownLines) await output.line(`  … ${lines.length - shownLines} more lines`);
    const question = output.paint("yellow", `  Run ${call.name}? [y]es, [n]o, [a]lways: `);
    while (true) {
      const answer = await input.line({ prompt: question, signal });
      const permission = answer === undefined ? "no" : answers.get(answer.trim().toLowerCase());
      if (permission) return permission;
    }
  };
}

const answers: ReadonlyMap<string, Permission> = new Map([
  ["y", "yes"],
  ["yes", "yes"],
  ["n", "no"],
  ["no", "no"],
  ["a", "always"],
  ["always", "always"],
]);

function shownCall({ name, arguments: args }: RequestedCall): readonly string[] {
  return (shapes[name] ?? allArguments)(args);
}

type Arguments = RequestedCall["arguments"];
type Shape = (args: Arguments) => readonly string[];

const shapes: Readonly<Record<string, Shape>> = {
  bash: ({ command }) => marked("$ ", command),
  write: ({ path, content }) => [honest(path), ...marked("+ ", content)],
  edit: ({ path, oldText, newText }) => [honest(path), ...marked("- ", oldText), ...marked("+ ", newText)],
};

function allArguments(args: Arguments): readonly string[] {
  return Object.entries(args).map(([name, value]) => `${honest(name)}: ${honest(value)}`);
}

function marked(mark: string, text: unknown): readonly string[] {
  return honest(text)
    .split("\n")
    .map((line, index) => (index === 0 || mark !== "$ " ? mark : "  ") + line);
}

/** What can be shown as it is, is; else with everything that a terminal would swallow spelled out. */
function honest(value: unknown): string {
  const text = typeof value === "string" ? value : jsonText(value);
  return plainText(text) === text ? text : withoutControls(JSON.stringify(text));
}
