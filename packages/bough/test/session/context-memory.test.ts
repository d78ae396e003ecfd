import { appendFileSync, copyFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionContextResult } from "../../src/context/index.ts";
import { assistant, type Session, SessionHost, SessionStorage, user } from "../../src/index.ts";
import { Session as OpenSession } from "../../src/session/session.ts";
import { JsonlLog } from "../../src/storage/jsonl/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function opened(path: string): Session {
  const log = JsonlLog.open(path, { durability: "process" });
  return new OpenSession(new SessionStorage(SessionHost.openSync(log, { durability: "process" })));
}

function newFile(): string {
  const path = join(temporaryFolder(), "s.jsonl");
  const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" };
  writeFileSync(path, `${JSON.stringify(header)}\n`);
  return path;
}

interface Stage {
  readonly path: string;
  readonly session: Session;
  /** Of every entry. */
  readonly ids: readonly string[];
  readonly text: string;
  /** One of the ids, or a new one where there are none. */
  readonly id: string;
}

const time = "2026-01-02T00:00:00.000Z";
const missing = `blob:sha256:${"0".repeat(64)}`;
const said = (text: string) => ({ role: "user", content: text, timestamp: 0 });

const commands: Readonly<Record<string, (stage: Stage) => unknown>> = {
  user: ({ session, text }) => session.appendMessage(user(text)),
  assistant: ({ session, text }) =>
    session.appendMessage({ ...assistant(text), provider: text ? "acme" : "unknown", model: text } as never),
  system: ({ session, text }) => session.appendMessage({ role: "system", content: text, timestamp: 0 }),
  model: ({ session, text }) => session.appendModelChange("acme", `m${text}`),
  level: ({ session, text }) => session.appendThinkingLevelChange(text || "high"),
  tools: ({ session, text }) => session.appendActiveToolsChange([text]),
  rules: ({ session, text }) => session.appendTtsrInjection([text]),
  custom: ({ session, text }) => session.appendCustomEntry("notes", text),
  shown: ({ session, text }) => session.appendCustomMessageEntry({ customType: "t", content: text, display: false }),
  image: ({ session }) => session.appendMessage(user([{ type: "image", data: missing, mimeType: "image/png" }])),
  edit: ({ session, id, text }) => session.appendContextEdit(id, text ? { content: text } : null),
  label: ({ session, id, text }) => session.appendLabel(id, text),
  name: ({ session, text }) => session.appendSessionName(text),
  reset: ({ session }) => session.appendEntry({ type: "reset_boundary" }),
  compaction: ({ session, id, text }) =>
    session.appendCompaction({ summary: text, tokensBefore: 1, ...(text && { firstKeptEntryId: id }) }),
  move: ({ session, id, text }) => session.moveTo(id, text ? { summary: text } : undefined),
  "move before any": ({ session }) => session.moveTo(null),
  other: async ({ path, session, text }) => {
    const other = opened(path);
    await other.appendMessage(user(text));
    await other.close();
    await session.refresh({ follow: text !== "" });
  },
  repeat: ({ path, session, ids, id, text }) => {
    const parentId = ids[text.length % Math.max(1, ids.length)] ?? null;
    const entry = { type: "message", id, parentId, timestamp: time, message: said(text) };
    appendFileSync(path, `${JSON.stringify(entry)}\n`);
    return text ? session.refresh() : session.appendSessionName("looks");
  },
  rot: ({ path, session, text }) => {
    const lines = [`{"type":"message","id":"rot${text.length}","parentId":null,"timestamp":"${time}","message":7}`];
    appendFileSync(path, `${lines}\n`);
    return session.refresh({ follow: true });
  },
  replace: ({ path, session, text }) => {
    copyFileSync(path, `${path}.new`);
    const lines = readFileSync(path, "utf8").split("\n");
    if (text && lines.length > 3) writeFileSync(`${path}.new`, [...lines.slice(0, -2), ""].join("\n"));
    renameSync(`${path}.new`, path);
    return session.refresh({ follow: true });
  },
};

const anyText = fc.constantFrom("", "a", "b", "cd", "efg");
const anyCommand = fc.tuple(
  fc.oneof({ weight: 2, arbitrary: fc.constantFrom("user", "assistant") }, fc.constantFrom(...Object.keys(commands))),
  anyText,
  fc.nat(),
);

async function told(session: Session, leafId: string | null): Promise<SessionContextResult | unknown> {
  return await session.inspectContext({ leafId }).catch((error: unknown) => error);
}

const runs = process.env.BOUGH_CAMPAIGN ? 5000 : 60;

test(`whatever a session went through, its next context is that of one just opened (${runs} histories)`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyCommand, { minLength: 5, maxLength: 40 }), async (history) => {
      const path = newFile();
      const session = opened(path);
      for (const [name, text, pick] of history) {
        const ids = (await session.getEntries()).map(({ id }) => id);
        const id = ids[pick % Math.max(1, ids.length)] ?? "none";
        await Promise.resolve(commands[name]?.({ path, session, ids, id, text })).catch(() => undefined);
        const fresh = opened(path);
        for (const leafId of [session.leafId, ...(pick % 5 === 0 && ids.length > 0 ? [id] : []), session.leafId]) {
          expect(await told(session, leafId), `${name} ${leafId}`).toEqual(await told(fresh, leafId));
        }
        await fresh.close();
      }
      await session.close();
    }),
    { numRuns: runs },
  );
});

test("what contexts share is frozen, and their arrays are the caller's", async () => {
  const session = opened(newFile());
  await session.appendMessage(user("one"));
  await session.appendCompaction({ summary: "s", tokensBefore: 1 });
  const [before, again] = [await session.buildContext(), await session.buildContext()];
  (before.messages as unknown[]).push("mine");
  (before.injectedRules as unknown[]).push("mine");
  await session.appendMessage(user("two"));
  const after = await session.buildContext();
  expect(after.messages).toHaveLength(2);
  expect(after.injectedRules).toEqual([]);
  expect(again.messages).toEqual(after.messages.slice(0, 1));
  expect(after.messages.every((message) => Object.isFrozen(message))).toBe(true);
  await session.close();
});

test("contexts that are asked for at once don't add to each other's", async () => {
  const session = opened(newFile());
  await session.appendMessage(user("one"));
  await session.buildContext();
  await session.appendMessage(user("two"));
  const contexts = await Promise.all([1, 2, 3].map(() => session.buildContext()));
  expect(contexts.map(({ messages }) => messages.length)).toEqual([2, 2, 2]);
  await session.close();
});
