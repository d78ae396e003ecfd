import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, type FileHandle, mkdir, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** In bytes. */
const largest = 20 * 1024 * 1024;
/** So much of a file is looked at to tell whether it is text. */
const looked = 8192;

/** The text of a file as it can be shown: what is no UTF-8 has a stand-in. Throws for what is no text, or too much of it. */
export async function readTextFile(path: string): Promise<string> {
  const bytes = await bytesOf(path);
  if (bytes.subarray(0, looked).includes(0)) throw new Error(`${path} is no text (${bytes.length} bytes).`);
  return bytes.toString("utf8");
}

/** The text of a file that encodes to the same bytes again, byte order mark and all. Throws besides where there is none. */
export async function readExactText(path: string): Promise<string> {
  const bytes = await bytesOf(path);
  const text = bytes.includes(0) ? undefined : decoded(bytes);
  if (text !== undefined) return text;
  throw new Error(`${path} is no UTF-8 text. Use bash to change it.`);
}

/** What `read` gives of a file, undefined if there is none. */
export async function ifAny<T>(path: string, read: (path: string) => Promise<T>): Promise<T | undefined> {
  try {
    return await read(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Reads what is a file and nothing else, so that it neither waits for others nor goes on for ever. */
export async function bytesOf(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    requireFile(path, await file.stat());
    return await allOf(path, file);
  } finally {
    await file.close();
  }
}

/**
 * The file has all of the text or is as it was. It keeps its mode and, as far as that is allowed, its owner; a link keeps
 * its target; folders are made.
 */
export async function writeTextFile(path: string, text: string): Promise<void> {
  const target = await targetOf(path);
  const known = await ifAny(target, (at) => stat(at));
  if (known) {
    requireFile(path, known);
    await access(target, constants.W_OK);
  }
  const folder = dirname(target);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.bough-${randomUUID()}`);
  const file = await open(temporary, "wx", known && known.mode & 0o7777);
  try {
    await file.writeFile(text);
    if (known) await makeAlike(file, known);
    await file.sync();
    await file.close();
    await rename(temporary, target);
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

/** A file that grows or has no size, such as those of `/proc`, is read as far as it goes. */
async function allOf(path: string, file: FileHandle): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size > largest)
      throw new Error(`${path} has more than ${largest} bytes, too many to read whole. Use bash to read parts of it.`);
  }
  return Buffer.concat(pieces);
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function requireFile(path: string, facts: Stats): void {
  if (facts.isDirectory()) throw new Error(`${path} is a folder.`);
  if (!facts.isFile()) throw new Error(`${path} is no file but a device, a pipe or a socket.`);
}

/** Where a path leads, also over links to what isn't there yet. */
async function targetOf(path: string): Promise<string> {
  const real = await ifAny(path, (at) => realpath(at));
  if (real !== undefined) return real;
  const link = await linkAt(path);
  return link === undefined ? path : await targetOf(resolve(await realpath(dirname(path)), link));
}

async function linkAt(path: string): Promise<string | undefined> {
  try {
    return await readlink(path, "utf8");
  } catch {
    return undefined;
  }
}

async function makeAlike(file: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const made = await file.stat();
  if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode & 0o7777);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
