import { dirname } from "node:path";
import { SessionError } from "../../errors.ts";
import { nodeCrypto } from "../files/node-modules.ts";
import { truePath } from "../files/real-path.ts";
import { LeaseFolder } from "./lease-folder.ts";
import { type Answer, askHolder, type Claim, type Holder, listenAt } from "./lease-socket.ts";

/**
 * Appending needs no permission; running turns, replacing the file and deleting it do: one process at a time. The
 * right is a listening socket, because the kernel takes it back the moment its owner dies: no stale lock to guess
 * about, no process id that may have been used again. Whoever is refused can ask the same socket who holds it.
 * Abstract names and pipes are seen by one machine (and one network namespace) only.
 */
export interface Lease extends Disposable {
  /** Idempotent. Not needed when the process ends. */
  release(): void;
}

export interface LeaseRequest {
  /** The session's file. Through whatever links it was reached, the lease is one. */
  readonly file: string;
  readonly id: string;
  /** What the holder will be doing, in a word or two; told to those it keeps out. */
  readonly doing: string;
}

/** Rejects with `busy`, naming the holder, while another owner (this process included) has it. */
export async function acquireLease(request: LeaseRequest, platform: string = process.platform): Promise<Lease> {
  const site = siteOf(request, platform);
  for (let attempt = 0; attempt < 5; attempt++) {
    const claim = await site.claim(helloOf(request));
    if (claim) return grant(site.key, claim);
    const answer = await site.ask();
    if (answer.status === "held") throw busy(request, answer.holder);
  }
  throw busy(request);
}

/** The same without waiting: undefined where it is held, by whom is not asked. */
export function tryAcquireLease(request: LeaseRequest, platform: string = process.platform): Lease | undefined {
  const site = siteOf(request, platform);
  const claim = site.claimNow(helloOf(request));
  return claim && grant(site.key, claim);
}

/** Runs `work` under the lease, which may be one that this thread holds already; throws `busy` otherwise. */
export function withLease<T>(request: LeaseRequest, work: () => T): T {
  if (held.has(siteOf(request, process.platform).key)) return work();
  const lease = tryAcquireLease(request);
  if (!lease) throw busy(request);
  try {
    return work();
  } finally {
    lease.release();
  }
}

const held = new Set<string>();

function grant(key: string, claim: Claim): Lease {
  held.add(key);
  let released = false;
  const release = () => {
    if (released) return;
    released = true;
    held.delete(key);
    claim.close();
  };
  return { release, [Symbol.dispose]: release };
}

/** How a lease of one name is had on one platform. */
interface LeaseSite {
  readonly key: string;
  /** Rejects where the lease can't be had for another reason than an owner. */
  claim(hello: string): Promise<Claim | undefined>;
  claimNow(hello: string): Claim | undefined;
  ask(): Promise<Answer>;
}

function siteOf(request: LeaseRequest, platform: string): LeaseSite {
  const key = leaseKey(request.file, request.id);
  if (platform !== "linux" && platform !== "win32") return new LeaseFolder(key);
  const address = platform === "linux" ? `\0bough-${key}` : `\\\\?\\pipe\\bough-${key}`;
  return {
    key,
    claim: (hello) => listenOrWhyNot(address, hello),
    claimNow: (hello) => {
      const listening = listenAt(address, hello);
      return listening.status === "claimed" ? listening.claim : undefined;
    },
    ask: () => askHolder(address),
  };
}

async function listenOrWhyNot(address: string, hello: string): Promise<Claim | undefined> {
  const listening = listenAt(address, hello);
  if (listening.status === "claimed") return listening.claim;
  const reason = await listening.reason;
  if (reason.code !== "EADDRINUSE") throw reason;
  return undefined;
}

function leaseKey(file: string, id: string): string {
  return nodeCrypto()
    .hash("sha256", `${dirname(truePath(file))}\0${id}`)
    .slice(0, 40);
}

function helloOf(request: LeaseRequest): string {
  return `${JSON.stringify({ pid: process.pid, doing: request.doing })}\n`;
}

function busy(request: LeaseRequest, holder?: Holder): SessionError<"busy"> {
  const by = holder ? `process ${holder.pid} (${holder.doing})` : undefined;
  return new SessionError("busy", `Session ${request.id} is in use${by ? ` by ${by}` : ""}`, {
    id: request.id,
    ...(by !== undefined && { holder: by }),
  });
}
