import { isJsonObject } from "../../entry/json.ts";
import { SessionDecoder } from "../../format/session-decoder.ts";
import { noHeader } from "../../format/stored-header.ts";
import { storageError } from "../files/file-errors.ts";
import { closeDescriptor, type FileSystem, nodeFileSystem } from "../files/file-system.ts";
import { type LineStart, LineStarts } from "./line-starts.ts";
import { reusedBytes } from "./reused-bytes.ts";
import { chunksOf, type Extent, openToRead } from "./session-lines.ts";

/**
 * What users and models said in a session, all branches in file order, a space between the texts. Of lines that say of
 * themselves that they hold something else, no more than the beginning is looked at. Throws what opening the file throws.
 */
export function spokenText(path: string, fileSystem: FileSystem = nodeFileSystem): string {
  const { fd, stat } = openToRead(path, fileSystem);
  try {
    const speech = new Speech(path);
    for (const line of linesOf({ fd, size: stat.size }, fileSystem)) speech.take(line);
    return speech.end();
  } catch (error) {
    throw storageError(error, { operation: "read", path });
  } finally {
    closeDescriptor(fileSystem, fd);
  }
}

/** Most sessions are read at once, so that no line has to be put together. */
const mostRead = 1 << 20;

/** Each is valid until the next is asked for. */
function* linesOf(extent: Extent, fileSystem: FileSystem): Generator<LineStart> {
  const lines = new LineStarts(Number.POSITIVE_INFINITY);
  for (const chunk of chunksOf(extent, fileSystem, reusedBytes(Math.min(extent.size, mostRead))))
    yield* lines.push(chunk);
  const rest = lines.end();
  if (rest) yield rest;
}

const speakers: readonly unknown[] = ["user", "assistant"];

class Speech {
  readonly #path: string;
  readonly #decoder: SessionDecoder;
  readonly #texts: string[] = [];
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
    this.#decoder = new SessionDecoder({ path });
  }

  take(line: LineStart): void {
    const start = this.#offset;
    this.#offset += line.length + 1;
    const isWhole = this.#decoder.header !== undefined && line.terminated;
    const role = isWhole ? line.role() : undefined;
    if (role !== undefined) {
      if (speakers.includes(role)) this.#say(parsed(line)?.message);
      return;
    }
    const type = isWhole ? line.type() : undefined;
    if (type !== undefined && type !== "message") return;
    const { entry } = this.#decoder.decode({ ...line, bytes: line.bytes, start, end: this.#offset });
    if (entry?.type === "message" && speakers.includes(entry.message.role)) this.#say(entry.message);
  }

  end(): string {
    if (!this.#decoder.header) throw noHeader(this.#path);
    return this.#texts.join(" ");
  }

  #say(message: unknown): void {
    const text = isJsonObject(message) ? textOf(message.content) : "";
    if (text !== "") this.#texts.push(text);
  }
}

function parsed(line: LineStart): { readonly message?: unknown } | undefined {
  try {
    return JSON.parse(line.utf8());
  } catch {
    return undefined;
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => (isJsonObject(block) && block.type === "text" ? [block.text] : [])).join(" ");
}
