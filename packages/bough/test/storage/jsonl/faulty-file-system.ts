import { type FileSystem, nodeFileSystem } from "../../../src/storage/files/file-system.ts";

export type CallName = keyof FileSystem;

/** One call of the file system, before it is made. */
export interface Call {
  readonly name: CallName;
  readonly args: readonly unknown[];
  /** Makes it. */
  readonly proceed: () => unknown;
}

/** The real file system, with every call going through `intercept`. `fdatasync` intercepts as if it were synchronous. */
export function interceptedFileSystem(intercept: (call: Call) => unknown): FileSystem {
  const real = nodeFileSystem as unknown as Record<CallName, (...args: unknown[]) => unknown>;
  const wrap = (name: CallName) => {
    if (name === "fdatasync") {
      return (fd: number, done: (error: unknown) => void) => {
        try {
          intercept({ name, args: [fd], proceed: () => nodeFileSystem.fdatasyncSync(fd) });
        } catch (error) {
          setImmediate(done, error);
          return;
        }
        setImmediate(done, null);
      };
    }
    return (...args: unknown[]) => intercept({ name, args, proceed: () => real[name](...args) });
  };
  return new Proxy(nodeFileSystem, { get: (_, name) => wrap(name as CallName) });
}

/** Counts calls and the bytes that went through them. */
export class CallCounter {
  readonly calls: CallName[] = [];
  bytesRead = 0;
  readonly fileSystem = interceptedFileSystem(({ name, proceed }) => {
    this.calls.push(name);
    const result = proceed();
    if (name === "readSync") this.bytesRead += result as number;
    return result;
  });

  /** What `action` cost. */
  during(action: () => unknown): { readonly calls: readonly CallName[]; readonly bytesRead: number } {
    const [calls, bytes] = [this.calls.length, this.bytesRead];
    action();
    return { calls: this.calls.slice(calls), bytesRead: this.bytesRead - bytes };
  }
}

export type Moment = "before" | "after";

/** Fails one call, or all from one on, until it is told to stop. */
export class FaultAt {
  readonly #nth: number;
  readonly #errno: string;
  readonly #isSticky: boolean;
  readonly #moment: Moment;
  #calls = 0;
  #isOver = false;
  hasStruck = false;

  constructor(fault: { nth: number; errno: string; isSticky: boolean; moment: Moment }) {
    this.#nth = fault.nth;
    this.#errno = fault.errno;
    this.#isSticky = fault.isSticky;
    this.#moment = fault.moment;
  }

  readonly fileSystem = interceptedFileSystem(({ name, proceed }) => {
    this.#calls++;
    const strikes = !this.#isOver && (this.#isSticky ? this.#calls >= this.#nth : this.#calls === this.#nth);
    if (!strikes) return proceed();
    this.hasStruck = true;
    if (this.#moment === "after") proceed();
    throw errnoError(this.#errno, name);
  });

  stop(): void {
    this.#isOver = true;
  }
}

export function errnoError(code: string, syscall: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall });
}
