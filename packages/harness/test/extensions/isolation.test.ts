import { Session } from "bough";
import { MemoryRepo } from "bough/memory";
import { expect, test } from "vitest";
import { type Extension, type ExtensionAPI, type HookName, hookRules } from "../../src/index.ts";
import { calls, says, tool } from "../support/scripted.ts";
import { converse, extended, idOf, summary } from "./support.ts";

/** Changes whatever can be changed of a value, all the way down. */
function scribble(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const member of Object.values(value)) scribble(member, seen);
  try {
    if (Array.isArray(value)) value.splice(0);
    else for (const key of Object.keys(value)) Reflect.set(value, key, "scribbled");
  } catch {
    return;
  }
}

const fields = [...new Set(Object.values(hookRules).flatMap((rule) => Object.keys(rule.fields)))].filter(
  (field) => !["details", "payload", "preserveData"].includes(field),
);

/** What an extension may do wrong when it is asked something. */
const misdeeds = {
  throws: () => {
    throw new Error("no");
  },
  rejects: () => Promise.reject(new Error("no")),
  hangs: () => new Promise(() => undefined),
  "answers {}": () => ({}),
  "answers nonsense": () => Object.fromEntries(fields.map((field) => [field, 7])),
  "answers what throws": () => Object.defineProperty({}, fields[0] as string, { get: () => misdeeds.throws() }),
  "answers in circles": () => {
    const circle: Record<string, unknown> = {};
    for (const field of fields) circle[field] = circle;
    return circle;
  },
  scribbles: (event: unknown, ctx: unknown) => {
    scribble(event);
    scribble(ctx);
  },
} as const;

/** One whole life: prompts with a tool, a compaction, a move with a summary, a fork. What it came to, without ids and times. */
async function life(extensions: readonly Extension[]) {
  const seen: [string, string][] = [];
  const witness: Extension = (api) => {
    for (const name of Object.keys(hookRules) as HookName[]) {
      api.on(name, (event) => void seen.push([name, told(event)]));
    }
    api.on("context", ({ messages }) => ({
      messages: [...messages, { role: "user" as const, content: "kindly", timestamp: 0 }],
    }));
    api.on("before_agent_start", ({ systemPrompt }) => ({
      message: { customType: "w", content: "watch" },
      systemPrompt: `${systemPrompt}!`,
    }));
    api.on("tool_result", ({ content }) => ({ content: [...content, { type: "text" as const, text: "seen" }] }));
    api.on("session.compacting", () => ({ context: ["mind the gap"], preserveData: { kept: true } }));
  };
  const repo = new MemoryRepo();
  const session = await repo.create();
  await converse(session, 10);
  const asked: unknown[] = [];
  const remember = (reply: ReturnType<typeof says>) => (context: { readonly messages: readonly unknown[] }) => {
    asked.push(told(context.messages));
    return reply;
  };
  const steps = [calls("act", { text: "x" }), says("one"), says(summary), says("two"), says(summary)].map(remember);
  const options = {
    session,
    sessions: repo,
    harness: {
      systemPrompt: "base",
      hookTimeout: 25,
      tools: [tool("act", ({ text }) => `did ${text}`)],
      compaction: { keepRecentTokens: 200 },
    },
  };
  const { host, model, told: failed } = await extended([...extensions, witness], steps, options);
  await host.harness.prompt("first");
  await host.harness.compact({ keep: { turns: 1 } });
  await host.harness.prompt("second");
  // The scripted provider sends nothing anywhere, so that nobody asks about it.
  asked.push(await host.harness.hooks.ask("before_provider_payload", { model, payload: { body: ["x"] } }));
  await host.harness.navigateTree(await idOf(session, "first"), { summarize: true, label: "left" });
  const stored = told(await session.getEntries());
  await host.fork(await idOf(session, "second"));
  await host.branch(await idOf(session, "first"));
  await host.newSession();
  await host.close();
  return { stored, asked, seen, failed: failed() };
}

/** What differs from run to run, and what stands there instead; what took no time has no duration. */
const volatile: Readonly<Record<string, unknown>> = { timestamp: 0, signal: 0, durationMs: undefined };

/** A value as text, without what differs from one life to another. */
function told(value: unknown): string {
  const names = new Map<string, string>();
  const named = (id: string) => {
    if (!names.has(id)) names.set(id, `#${names.size}`);
    return names.get(id) as string;
  };
  return JSON.stringify(value, (key, member) => (key in volatile ? volatile[key] : member))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, named)
    .replaceAll(/faux:\d+:[\w]+|"cost":\{[^}]*\}|"usage":(?:\d+|\{[^}]*\})/g, "…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "then");
}

const undisturbed = life([]);
const hooks = Object.keys(hookRules) as HookName[];
const kinds = Object.keys(misdeeds) as (keyof typeof misdeeds)[];
const harmless = new Set<keyof typeof misdeeds>(["answers {}", "scribbles"]);

test("the life that is disturbed below asks every hook there is", async () => {
  const { seen } = await undisturbed;
  const asked = new Set(seen.map(([name]) => name));
  expect(hooks.filter((name) => !asked.has(name))).toEqual([]);
});

test.each(hooks.flatMap((name) => kinds.map((kind) => [name, kind] as const)))(
  "pi-213 omp-105 an extension that in %s %s changes nothing for others, the model or the session",
  async (name, kind) => {
    const bad: Extension = (api) => void api.on(name, misdeeds[kind] as never);
    const disturbed = await life([bad]);
    const calm = await undisturbed;
    expect(disturbed.failed.includes(`1 ${name}`)).toBe(isWrong(name, kind));
    if (name === "tool_call" && disturbed.failed.length > 0) {
      // A check that fails is a check that was not passed.
      expect(disturbed.stored).not.toContain("did x");
      return;
    }
    expect(disturbed.stored).toBe(calm.stored);
    expect(disturbed.asked).toEqual(calm.asked);
    expect(disturbed.seen).toEqual(calm.seen);
  },
);

/** Not an answer without a field that the hook knows, and a payload may be anything. */
function isWrong(name: HookName, kind: keyof typeof misdeeds): boolean {
  if (harmless.has(kind)) return false;
  if (kind === "answers what throws") return Object.keys(hookRules[name].fields).includes(fields[0] as string);
  return name !== "before_provider_payload" || !kind.startsWith("answers");
}

const events = [
  ...["session_start", "session_shutdown", "agent_start", "agent_end", "turn_start", "turn_end", "message_start"],
  ...["message_update", "message_end", "tool_execution_start", "tool_execution_end", "save_point", "settled"],
  ...["compaction_start", "compaction_end", "session_compact", "session_tree", "entry_appended", "queue_update"],
] as const;

test.each(["throws", "hangs", "scribbles"] as const)(
  "an extension that %s in every event changes nothing either",
  async (kind) => {
    const disturbed = await life([
      (api: ExtensionAPI) => {
        for (const name of events) api.on(name as "settled", misdeeds[kind] as never);
      },
    ]);
    const calm = await undisturbed;
    expect(disturbed.stored).toBe(calm.stored);
    expect(disturbed.asked).toEqual(calm.asked);
    expect(disturbed.seen).toEqual(calm.seen);
  },
);

test("omp-106 what a handler answers when its time was over, or it was taken away, counts for nothing", async () => {
  const late: (() => void)[] = [];
  const { host, faux } = await extended(
    [
      (api) => {
        api.on("context", async () => {
          const { promise, resolve } = Promise.withResolvers<void>();
          late.push(resolve);
          await promise;
          return { messages: [] };
        });
        const off = api.on("context", () => ({ messages: [] }));
        off();
        api.on("session_start", () => api.on("context", () => ({ messages: [] }))());
      },
    ],
    [
      (context) => {
        for (const answer of late) answer();
        return says(`${context.messages.length}`);
      },
    ],
    { harness: { hookTimeout: 20 } },
  );
  const { message } = await host.harness.prompt("a");
  expect(message?.content).toMatchObject([{ text: "1" }]);
  expect(faux.getPendingResponseCount()).toBe(0);
});

test("omp-104 notes come in the order of extensions", async () => {
  const saying =
    (text: string): Extension =>
    (api) => {
      api.on("before_agent_start", () => ({ message: { customType: "x", content: text } }));
    };
  const { host, session } = await extended([saying("one"), saying("two"), saying("three")], [says("1")]);
  await host.harness.prompt("a");
  const notes = (await session.getBranch()).flatMap((entry) =>
    entry.type === "custom_message" ? [entry.content] : [],
  );
  expect(notes).toEqual(["one", "two", "three"]);
  expect(session).toBeInstanceOf(Session);
});
