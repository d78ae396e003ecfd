import { nodeNet } from "../files/node-modules.ts";

/** A listening socket that says who holds the lease. Never keeps the process alive. */
export interface Claim {
  close(): void;
}

export interface Holder {
  readonly pid: number;
  readonly doing: string;
}

export type Answer = { readonly status: "gone" } | { readonly status: "held"; readonly holder?: Holder };

/** Binding is synchronous, so success is known at once; the reason of a failure only later. */
export type Listening =
  | { readonly status: "claimed"; readonly claim: Claim }
  | { readonly status: "refused"; readonly reason: Promise<NodeJS.ErrnoException> };

export function listenAt(address: string, hello: string): Listening {
  const server = nodeNet().createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.unref().end(hello, () => socket.destroy());
  });
  const reason = new Promise<NodeJS.ErrnoException>((resolve) => server.on("error", resolve));
  // Exclusive: workers of a cluster would share the socket otherwise.
  server.listen({ path: address, exclusive: true }).unref();
  if (!server.listening) return { status: "refused", reason };
  return { status: "claimed", claim: { close: () => void server.close() } };
}

const patience = 1000;
const longestAnswer = 1024;

/** Asks whoever listens. A holder that doesn't answer (stopped, or busy) holds all the same. */
export function askHolder(address: string): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = nodeNet().connect(address);
    let connected = false;
    let answer = "";
    const settle = () => {
      socket.destroy();
      const holder = holderIn(answer);
      resolve({ status: "held", ...(holder && { holder }) });
    };
    socket.setEncoding("utf8").setTimeout(patience, settle);
    socket.once("connect", () => {
      connected = true;
    });
    socket.on("data", (chunk) => {
      answer += chunk;
      if (answer.includes("\n") || answer.length > longestAnswer) settle();
    });
    socket.once("end", settle);
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (connected || (error.code !== "ECONNREFUSED" && error.code !== "ENOENT")) settle();
      else resolve({ status: "gone" });
    });
  });
}

function holderIn(answer: string): Holder | undefined {
  try {
    const { pid, doing } = JSON.parse(answer);
    if (!Number.isSafeInteger(pid) || typeof doing !== "string") return undefined;
    return {
      pid,
      doing: doing
        .replace(/\P{L}+/gu, " ")
        .trim()
        .slice(0, 80),
    };
  } catch {
    return undefined;
  }
}
