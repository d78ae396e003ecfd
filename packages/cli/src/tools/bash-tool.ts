import type { HarnessTool } from "@bough/harness";
import { lastLines } from "./output-limit.ts";
import { runInShell, type ShellOutcome } from "./shell.ts";
import { textResult } from "./text-result.ts";

interface BashArguments {
  readonly command: string;
  readonly timeout?: number;
}

const usualTimeout = 120;

export function bashTool(cwd: string): HarnessTool {
  return {
    name: "bash",
    label: "bash",
    description:
      "Runs a command in the working directory and gives what it printed; of long output the last 2000 lines or " +
      "50,000 characters. It has no input, and is stopped after its timeout.",
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1 },
        timeout: { type: "number", exclusiveMinimum: 0, maximum: 3600, description: "Seconds; 120 unless given" },
      },
      required: ["command"],
    },
    replay: "unsafe",
    execute: async (_, { command, timeout = usualTimeout }: BashArguments, signal) => {
      const outcome = await runInShell({ command, cwd, timeoutMs: timeout * 1000, signal });
      const { exitCode } = outcome;
      const text = [printed(outcome), ending(outcome, timeout)].filter((part) => part !== "").join("\n\n");
      return textResult(text, { details: { exitCode }, ...(exitCode !== 0 && { isError: true }) });
    },
  };
}

function printed({ output, forgotten }: ShellOutcome): string {
  const { text, leftOut } = lastLines(output.trimEnd().split("\n"));
  if (leftOut === 0 && forgotten === 0) return text;
  const before = forgotten === 0 ? `${leftOut} lines` : `${leftOut} lines and ${forgotten} characters`;
  return `[The first ${before} are left out.]\n${text}`;
}

function ending({ exitCode, stopped, output }: ShellOutcome, timeout: number): string {
  if (stopped === "timeout") return `[Stopped: it took longer than ${timeout} seconds.]`;
  if (stopped === "aborted") return "[Stopped by the user.]";
  if (exitCode === 0) return output.trim() === "" ? "[Done, nothing was printed.]" : "";
  return exitCode === null ? "[Ended by a signal.]" : `[Exit code ${exitCode}.]`;
}
