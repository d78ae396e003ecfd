import { AgentHarnessError } from "bough";
import { copyOf, snapshotOf } from "../snapshot.ts";
import type { HarnessEvent, HarnessEventName, HarnessEventOf } from "./events.ts";
import {
  type FieldRule,
  type HookName,
  type HookPayload,
  type HookResult,
  type HookRule,
  hookRules,
} from "./hook-table.ts";

type Awaitable<T> = T | Promise<T>;

export type HookHandler<K extends HookName> = (
  event: { readonly type: K } & HookPayload<K>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that only looks returns nothing
) => Awaitable<HookResult<K> | undefined | void>;
export type EventHandler<K extends HarnessEventName> = (event: HarnessEventOf<K>) => Awaitable<void>;
export type EventListener = (event: HarnessEvent) => Awaitable<void>;

export type Handler<K extends HookName | HarnessEventName> = K extends HookName
  ? HookHandler<K>
  : K extends HarnessEventName
    ? EventHandler<K>
    : never;

export interface HandlerOptions {
  /** Whose handler it is, for `hook_error`. */
  readonly source?: string;
}

interface Registration extends HandlerOptions {
  readonly handle: (event: never) => unknown;
  /** A call that took too long and has not come back yet. */
  late?: Promise<unknown>;
}

type Answer<T> =
  | { readonly status: "answered"; readonly value: T }
  | { readonly status: "failed"; readonly error: AgentHarnessError<"hook"> }
  /** Still at a call that was reported already. */
  | { readonly status: "late" };

/**
 * Who takes part in what a harness does. Handlers run one after the other, in the order they were registered; those
 * of a dispatch are the ones that stood when it began. Each is waited for, but no longer than `timeout` milliseconds.
 * One that throws or takes longer is told of by `hook_error` and passed over, and passed over at once until it has come
 * back. A hook gets a copy of its own, watchers
 * share a frozen one, so that nobody can change what others see.
 */
export class Hooks {
  readonly #timeout: number;
  readonly #handlers = new Map<string, readonly Registration[]>();
  #listeners: readonly Registration[] = [];

  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** Returns what takes the handler away again. */
  on<K extends HookName | HarnessEventName>(name: K, handle: Handler<K>, options: HandlerOptions = {}): () => void {
    const registration: Registration = { handle: handle as Registration["handle"], ...options };
    this.#handlers.set(name, [...this.#of(name), registration]);
    return () =>
      this.#handlers.set(
        name,
        this.#of(name).filter((other) => other !== registration),
      );
  }

  /** Hears every event. */
  subscribe(listener: EventListener, options: HandlerOptions = {}): () => void {
    const registration: Registration = { handle: listener as Registration["handle"], ...options };
    this.#listeners = [...this.#listeners, registration];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== registration);
    };
  }

  /** Whether anybody takes part, so that what is dear to say need not be said. */
  has(name: HookName): boolean {
    return this.#of(name).length > 0;
  }

  /** What the handlers of a hook say together. Throws `signal.reason` when aborted, whoever is still thinking. */
  async ask<K extends HookName>(name: K, payload: HookPayload<K>, signal?: AbortSignal): Promise<HookResult<K>> {
    const rule: HookRule = hookRules[name];
    let said: Fields = {};
    for (const registration of this.#of(name)) {
      const event = copyOf({ type: name, ...payload, ...(rule.kind === "transform" && said) });
      const before = said;
      const take = (value: unknown) => merged(rule, payload, before, value);
      const answer = await this.#call(registration, name, event, { take, ...(signal && { signal }) });
      if (answer.status === "failed") await this.#report(name, registration, answer.error);
      said = answer.status === "answered" ? answer.value : take(rule.onFailure);
      if (rule.stop !== undefined && said[rule.stop] === true) break;
    }
    return said as HookResult<K>;
  }

  async emit(event: HarnessEvent): Promise<void> {
    const registrations = [...this.#listeners, ...this.#of(event.type)];
    if (registrations.length === 0) return;
    const shared = snapshotOf(event);
    for (const registration of registrations) {
      const answer = await this.#call(registration, event.type, shared, { take: () => undefined });
      if (answer.status === "failed" && event.type !== "hook_error") {
        await this.#report(event.type, registration, answer.error);
      }
    }
  }

  #of(name: string): readonly Registration[] {
    return this.#handlers.get(name) ?? [];
  }

  /** What `take` makes of the answer; if it can't, the handler failed. */
  async #call<T>(
    registration: Registration,
    hook: string,
    event: object,
    { take, signal }: { readonly take: (value: unknown) => T; readonly signal?: AbortSignal },
  ): Promise<Answer<T>> {
    signal?.throwIfAborted();
    if (registration.late) return { status: "late" };
    try {
      const value = registration.handle(event as never);
      const answer = isThenable(value) ? await this.#wait(registration, Promise.resolve(value), signal) : value;
      return { status: "answered", value: take(answer) };
    } catch (cause) {
      signal?.throwIfAborted();
      const error = new AgentHarnessError(
        "hook",
        `A handler of ${hook} failed: ${messageOf(cause)}`,
        { hook },
        { cause },
      );
      return { status: "failed", error };
    }
  }

  async #wait(registration: Registration, value: Promise<unknown>, signal?: AbortSignal): Promise<unknown> {
    value.catch(() => undefined);
    signal?.throwIfAborted();
    const { promise: given, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      awaitLate(registration, value);
      reject(new Error(`no answer within ${this.#timeout} ms`));
    }, this.#timeout);
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([value, given]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async #report(hook: string, { source }: Registration, error: AgentHarnessError<"hook">): Promise<void> {
    if (this.#listeners.length === 0 && this.#of("hook_error").length === 0) process.emitWarning(error);
    else await this.emit({ type: "hook_error", hook, error, ...(source !== undefined && { source }) });
  }
}

/** Extensions bring promises of other makes. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}

function awaitLate(registration: Registration, value: Promise<unknown>): void {
  const isBack = () => {
    if (registration.late === value) delete registration.late;
  };
  registration.late = value;
  value.then(isBack, isBack);
}

type Fields = Readonly<Record<string, unknown>>;

/** Throws for an answer with a field that the hook's rule doesn't accept: all of it counts, or nothing. */
function merged(rule: HookRule, payload: object, before: Fields, answer: unknown): Fields {
  if (typeof answer !== "object" || answer === null) return before;
  const said: Record<string, unknown> = { ...before };
  for (const [field, { as = field, accepts, merge }] of Object.entries<FieldRule>(rule.fields)) {
    const value = copyOf((answer as Fields)[field]);
    if (value === undefined) continue;
    if (!accepts(value, payload)) throw new TypeError(`${field} is not what it has to be`);
    said[as] = merge(said[as] ?? (payload as Fields)[as], value);
  }
  return said;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
