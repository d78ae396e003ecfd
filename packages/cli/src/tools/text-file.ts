import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

const largest = 20 * 1024 * 1024;

/** The text of a file, without a byte order mark's meaning being lost. Throws for what is no text, or too much of it. */
export async function readTextFile(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > largest)
    throw new Error(`${path} has ${size} bytes, too many to read whole. Use bash to read parts of it.`);
  const bytes = await readFile(path);
  if (bytes.subarray(0, 8192).includes(0)) throw new Error(`${path} is no text (${size} bytes).`);
  return bytes.toString("utf8");
}

/** Undefined if there is none. */
export async function textFileIfAny(path: string): Promise<string | undefined> {
  try {
    return await readTextFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The file has all of the text or is as it was. It keeps its mode, a link keeps its target; folders are made. */
export async function writeTextFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const known = await existing(path);
  const target = known?.path ?? path;
  const temporary = `${target}.${randomUUID()}`;
  const file = await open(temporary, "wx", known?.mode);
  try {
    await file.writeFile(text);
    if (known) await file.chmod(known.mode);
    await file.close();
    await rename(temporary, target);
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

async function existing(path: string): Promise<{ readonly path: string; readonly mode: number } | undefined> {
  try {
    const real = await realpath(path);
    return { path: real, mode: (await stat(real)).mode & 0o7777 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
