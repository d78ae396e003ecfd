import { AsyncLocalStorage } from "node:async_hooks";

/** Whose code runs, and whom to tell what nobody catches there. */
export interface Doer {
  readonly report: (error: unknown) => void;
}

const doing = new AsyncLocalStorage<Doer | undefined>();

/** Runs an extension's code: what it leaves behind in timers and promises, and what fails there, is its own too. */
export function runAs<T>(doer: Doer, work: () => T): T {
  return doing.run(doer, work);
}

/** Runs what an extension asked for: that is no longer its code. */
export function runAsNobody<T>(work: () => T): T {
  return doing.run(undefined, work);
}

let guards = 0;

/**
 * While a guard stands, a promise of an extension that nobody catches, or a timer of one that throws, is reported instead
 * of ending the process. What isn't an extension's ends it as ever. Returns what takes the guard away.
 */
export function guardProcess(): () => void {
  if (guards++ === 0) attach();
  let isStanding = true;
  return () => {
    if (isStanding && --guards === 0) detach();
    isStanding = false;
  };
}

function attach(): void {
  process.on("unhandledRejection", onRejection);
  process.on("uncaughtException", onException);
}

function detach(): void {
  process.off("unhandledRejection", onRejection);
  process.off("uncaughtException", onException);
}

function onRejection(reason: unknown): void {
  const doer = doing.getStore();
  if (doer) doer.report(reason);
  else if (process.listenerCount("unhandledRejection") === 1) handBack(() => void Promise.reject(reason));
}

function onException(error: unknown): void {
  const doer = doing.getStore();
  if (doer) doer.report(error);
  else if (process.listenerCount("uncaughtException") === 1) {
    handBack(() =>
      process.nextTick(() => {
        throw error;
      }),
    );
  }
}

/** Lets the runtime do what it does where nobody listens. */
function handBack(raise: () => void): void {
  detach();
  raise();
  setImmediate(() => {
    if (guards > 0) attach();
  });
}
