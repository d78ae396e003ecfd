import { SessionError, type SessionTreeEntry } from "bough";
import { describeEntry, describeToolCall, messageText, plainLine, plainText, toolCallsOf } from "bough/outline";
import type { Cli } from "../cli.ts";
import { droppedBy } from "../dropped.ts";
import { findEntry } from "../entry-argument.ts";
import { withSession } from "../session-argument.ts";
import { idColumn } from "../shown-name.ts";
import { cutToWidth, textWidth } from "../text-width.ts";
import { indentedJson, safeJson, writeJsonList } from "../write-json.ts";

export async function show(
  cli: Cli,
  [session, entry = ""]: readonly string[],
  options: { readonly dropped?: true; readonly json?: true },
): Promise<undefined> {
  await withSession(cli, session, async (opened) => {
    const id = await findEntry(opened, entry);
    if (options.dropped) return await showDropped(cli, await droppedBy(opened, id), options);
    const found = await opened.getEntry(id);
    if (!found) throw new SessionError("not_found", `no entry ${id}`, { what: "entry", id });
    if (options.json) await cli.stdout.line(safeJson(found));
    else await describe(cli, found, await opened.getLabel(id));
  });
}

async function showDropped(
  { stdout }: Cli,
  entries: readonly SessionTreeEntry[],
  options: { readonly json?: true },
): Promise<void> {
  if (options.json) return await writeJsonList(stdout, entries);
  for (const entry of entries) {
    const id = `${idColumn(entry.id)}  `;
    const said = cutToWidth(describeEntry(entry), stdout.width - textWidth(id));
    await stdout.line(stdout.paint("dim", id) + said);
  }
}

async function describe({ stdout }: Cli, entry: SessionTreeEntry, label: string | undefined): Promise<void> {
  const facts = { id: entry.id, parent: entry.parentId ?? "none", time: entry.timestamp, label, ...factsOf(entry) };
  for (const [name, fact] of Object.entries(facts)) {
    if (fact !== undefined)
      await stdout.line(
        `${stdout.paint("dim", name.padEnd(8))} ${plainLine(typeof fact === "string" ? fact : safeJson(fact), 1000)}`,
      );
  }
  const body = bodyOf(entry);
  if (body !== "") await stdout.line(`\n${plainText(body).trimEnd()}`);
}

function factsOf(entry: SessionTreeEntry): Readonly<Record<string, unknown>> {
  if (entry.type === "compaction") {
    const { type, tokensBefore, tokensAfter } = entry;
    return { type, tokens: tokensAfter === undefined ? tokensBefore : `${tokensBefore} before, ${tokensAfter} after` };
  }
  if (entry.type !== "message") return { type: entry.type };
  const { role, model, stopReason, toolName, isError } = entry.message as unknown as Readonly<Record<string, unknown>>;
  return { role, model, stop: stopReason, tool: toolName, failed: isError || undefined };
}

function bodyOf(entry: SessionTreeEntry): string {
  switch (entry.type) {
    case "message": {
      const calls = toolCallsOf(entry.message).map(
        (call) => `${describeToolCall(call)}\n${indentedJson(call.arguments)}`,
      );
      return [messageText(entry.message), ...calls].filter((part) => part !== "").join("\n\n");
    }
    case "compaction":
    case "branch_summary":
      return entry.summary;
    default: {
      const { type: _, id: __, parentId: ___, timestamp: ____, ...fields } = entry;
      return Object.keys(fields).length === 0 ? "" : indentedJson(fields);
    }
  }
}
