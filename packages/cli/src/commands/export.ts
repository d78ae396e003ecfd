import type { Session } from "bough";
import { encodeEntry, encodeHeader, jsonText, toJulia, toJuliaHeader } from "bough/format";
import { bodiesOf } from "../bodies.ts";
import type { Cli } from "../cli.ts";
import { openDestination } from "../destination.ts";
import { findEntry } from "../entry-argument.ts";
import { transcript } from "../markdown.ts";
import { withSession } from "../session-argument.ts";
import { shownName } from "../shown-name.ts";
import { UsageError } from "../usage-error.ts";

export interface ExportOptions {
  readonly jsonl?: true;
  readonly markdown?: true;
  readonly julia?: true;
  readonly out?: string;
  readonly leaf?: string;
  readonly force?: true;
}

interface Form {
  readonly ending: string;
  readonly write: (session: Session, options: ExportOptions) => AsyncIterable<string> | Promise<Iterable<string>>;
}

const forms = {
  jsonl: { ending: ".jsonl", write: (session) => lines(session, encodeHeader(session.header), encodeEntry) },
  markdown: { ending: ".md", write: markdown },
  julia: {
    ending: ".julia.jsonl",
    write: (session) => lines(session, jsonText(toJuliaHeader(session.header)), (entry) => jsonText(toJulia(entry))),
  },
} as const satisfies Record<string, Form>;

export async function exportSession(
  cli: Cli,
  [argument]: readonly string[],
  options: ExportOptions,
): Promise<undefined> {
  const form = chosenForm(options);
  await withSession(cli, argument, async (session) => {
    const destination = await openDestination(cli, options, await defaultName(session, form.ending));
    try {
      for await (const block of blocksOf(await form.write(session, options))) {
        cli.signal.throwIfAborted();
        await destination.write(block);
      }
    } catch (error) {
      await destination.discard();
      throw error;
    }
    const path = await destination.finish();
    if (path !== undefined) await cli.stdout.line(shownName(path));
  });
}

const blockLength = 64 * 1024;

async function* blocksOf(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let block = "";
  for await (const piece of pieces) {
    block += piece;
    if (block.length < blockLength) continue;
    yield block;
    block = "";
  }
  yield block;
}

function chosenForm(options: ExportOptions): Form {
  const chosen = (["jsonl", "markdown", "julia"] as const).filter((name) => options[name]);
  const [name] = chosen;
  if (name === undefined || chosen.length > 1) {
    throw new UsageError("an export takes one form", "Choose one of --jsonl, --markdown, --julia.");
  }
  if (options.leaf !== undefined && name !== "markdown") throw new UsageError("--leaf belongs to --markdown");
  return forms[name];
}

type Encode = (entry: Parameters<typeof encodeEntry>[0]) => string;

async function* lines(session: Session, header: string, encode: Encode): AsyncGenerator<string> {
  yield `${header}\n`;
  const heads = [...(await session.readTree()).heads()];
  for await (const [, entry] of bodiesOf(session, heads, "content")) yield `${encode(entry)}\n`;
}

async function markdown(session: Session, { leaf }: ExportOptions): Promise<Iterable<string>> {
  const tree = await session.readTree();
  const { id, cwd, timestamp } = session.header;
  const path = await session.getBranch(leaf === undefined ? session.leafId : await findEntry(session, leaf));
  return transcript({ title: tree.name ?? "A session", id, cwd, created: timestamp }, path, (entry) =>
    tree.labelOf(entry),
  );
}

/** Letters, digits and hyphens of the name, and the end of the id: safe on every system, and told apart. */
async function defaultName(session: Session, ending: string): Promise<string> {
  const name = ((await session.getSessionName()) ?? "session").normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-");
  const id = session.id.slice(-8).replace(/[^A-Za-z0-9]+/g, "-");
  return `${name.slice(0, 60).replace(/^-+|-+$/g, "") || "session"}-${id}${ending}`;
}
