import { join } from "node:path";
import { nodeCrypto, nodeFs } from "../files/node-modules.ts";
import { type Answer, askHolder, type Claim, listenAt } from "./lease-socket.ts";

/**
 * Leases where socket names outlive their owner. Each claimant listens on a socket of its own, named after its process,
 * and then tries to make the one link that is the lease. A link whose owner is gone may be taken over, by one claimant
 * at a time.
 */
export class LeaseFolder {
  readonly key: string;
  readonly #folder = privateFolder();
  readonly #link: string;

  constructor(key: string) {
    this.key = key;
    this.#link = join(this.#folder, key);
  }

  /** Takes over from a dead owner even if its process id has been used again. */
  async claim(hello: string): Promise<Claim | undefined> {
    const owner = this.#owner();
    if (owner !== undefined && (await askHolder(join(this.#folder, owner))).status === "held") return undefined;
    return this.#claim(hello, owner);
  }

  /** Takes over only where the owner's process is gone. */
  claimNow(hello: string): Claim | undefined {
    const owner = this.#owner();
    if (owner !== undefined && isAlive(Number.parseInt(owner, 10))) return undefined;
    return this.#claim(hello, owner);
  }

  async ask(): Promise<Answer> {
    const owner = this.#owner();
    return owner === undefined ? { status: "gone" } : askHolder(join(this.#folder, owner));
  }

  #claim(hello: string, dead: string | undefined): Claim | undefined {
    const own = `${process.pid}-${nodeCrypto().randomUUID().slice(0, 8)}`;
    const listening = listenAt(join(this.#folder, own), hello);
    if (listening.status === "refused") return undefined;
    const { claim } = listening;
    if (dead === undefined ? this.#tryLink(own) : this.#takeOver(own, dead)) return this.#linked(own, claim);
    claim.close();
    return undefined;
  }

  #linked(own: string, claim: Claim): Claim {
    const close = () => {
      if (this.#owner() === own) nodeFs.unlinkSync(this.#link);
      claim.close();
    };
    return { close };
  }

  #owner(): string | undefined {
    return unlessErrno("ENOENT", () => nodeFs.readlinkSync(this.#link));
  }

  #tryLink(own: string): boolean {
    return unlessErrno("EEXIST", () => nodeFs.symlinkSync(own, this.#link) ?? true) ?? false;
  }

  #takeOver(own: string, dead: string): boolean {
    const turn = `${this.#link}.turn`;
    if (!takeTurn(turn)) return false;
    try {
      if (this.#owner() !== dead) return false;
      unlessErrno("ENOENT", () => nodeFs.unlinkSync(this.#link));
      unlessErrno("ENOENT", () => nodeFs.unlinkSync(join(this.#folder, dead)));
      return this.#tryLink(own);
    } finally {
      unlessErrno("ENOENT", () => nodeFs.rmdirSync(turn));
    }
  }
}

const abandoned = 10_000;

function takeTurn(turn: string): boolean {
  if (unlessErrno("EEXIST", () => nodeFs.mkdirSync(turn) ?? true)) return true;
  const stat = nodeFs.statSync(turn, { throwIfNoEntry: false });
  if (stat && Date.now() - stat.mtimeMs > abandoned) unlessErrno("ENOENT", () => nodeFs.rmdirSync(turn));
  return false;
}

/**
 * The same for all processes of a user whatever their environment, short because socket paths have at most 104 bytes,
 * and private because whoever can write there can keep us out.
 */
function privateFolder(): string {
  const user = process.getuid?.() ?? 0;
  const folder = `/tmp/bough-${user}`;
  unlessErrno("EEXIST", () => nodeFs.mkdirSync(folder, { mode: 0o700 }));
  const stat = nodeFs.lstatSync(folder);
  if (!stat.isDirectory() || stat.uid !== user || (stat.mode & 0o077) !== 0) {
    throw Object.assign(new Error(`${folder} is not a private folder of this user`), { code: "EACCES", path: folder });
  }
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function unlessErrno<T>(code: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined;
    throw error;
  }
}
