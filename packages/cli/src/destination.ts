import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, parse, resolve } from "node:path";
import { isBoughError, SessionError } from "bough";
import type { Cli } from "./cli.ts";
import { withoutControls } from "./write-json.ts";

/** Where an export goes. A file appears whole or not at all. */
export interface Destination {
  write(piece: string): Promise<void>;
  /** The path of the file, undefined for standard output. */
  finish(): Promise<string | undefined>;
  discard(): Promise<void>;
}

export interface DestinationOptions {
  /** `-` is standard output. */
  readonly out?: string;
  readonly force?: true;
}

/**
 * A file that was asked for by name and is there rejects with `already_exists`, unless forced; a default name that is
 * taken gets a number instead.
 */
export async function openDestination(
  cli: Cli,
  options: DestinationOptions,
  defaultName: string,
): Promise<Destination> {
  const { out, force } = options;
  if (out === "-") {
    return {
      write: (piece) => cli.stdout.write(cli.stdout.isTerminal ? withoutControls(piece) : piece),
      finish: async () => undefined,
      discard: async () => undefined,
    };
  }
  const path = resolve(cli.cwd, out ?? defaultName);
  if (force) return await FileDestination.open(path);
  return await FileDestination.open(out === undefined ? await claimFree(path) : await claim(path), { isClaimed: true });
}

/** Takes a name for the file to come, by an empty file. */
async function claim(path: string): Promise<string> {
  try {
    await (await open(path, "wx", 0o600)).close();
    return path;
  } catch (error) {
    throw storageError("create", path, error);
  }
}

async function claimFree(path: string): Promise<string> {
  const { dir, name, ext } = parse(path);
  for (let number = 1; ; number++) {
    try {
      return await claim(number === 1 ? path : join(dir, `${name}-${number}${ext}`));
    } catch (error) {
      if (!isBoughError(error, "already_exists")) throw error;
    }
  }
}

class FileDestination implements Destination {
  readonly #path: string;
  readonly #temporary: string;
  readonly #file: FileHandle;
  readonly #isClaimed: boolean;

  private constructor(path: string, temporary: string, file: FileHandle, isClaimed: boolean) {
    this.#path = path;
    this.#temporary = temporary;
    this.#file = file;
    this.#isClaimed = isClaimed;
  }

  static async open(path: string, { isClaimed = false } = {}): Promise<FileDestination> {
    const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
    try {
      return new FileDestination(path, temporary, await open(temporary, "wx", 0o600), isClaimed);
    } catch (error) {
      throw storageError("create", path, error);
    }
  }

  async write(piece: string): Promise<void> {
    try {
      await this.#file.appendFile(piece);
    } catch (error) {
      throw storageError("write", this.#path, error);
    }
  }

  async finish(): Promise<string> {
    try {
      await this.#file.sync();
      await this.#file.close();
      await rename(this.#temporary, this.#path);
      return this.#path;
    } catch (error) {
      throw storageError("write", this.#path, error);
    }
  }

  async discard(): Promise<void> {
    await this.#file.close();
    await rm(this.#temporary, { force: true });
    if (this.#isClaimed) await rm(this.#path, { force: true });
  }
}

const codes: Readonly<Record<string, "storage_denied" | "storage_full">> = {
  EACCES: "storage_denied",
  EPERM: "storage_denied",
  EROFS: "storage_denied",
  ENOSPC: "storage_full",
  EDQUOT: "storage_full",
};

function storageError(operation: string, path: string, error: unknown): unknown {
  const { code: errno, message } = error as NodeJS.ErrnoException;
  if (errno === undefined) return error;
  if (errno === "EEXIST")
    return new SessionError("already_exists", `${path} is there already`, { what: "file", id: path });
  const failure = { operation, path, errno, outcome: "not_written" } as const;
  return new SessionError(codes[errno] ?? "storage_io", message, failure, { cause: error });
}
