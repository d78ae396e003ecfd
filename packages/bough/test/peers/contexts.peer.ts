import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { assistant, type Session, user } from "../../src/index.ts";
import { expand } from "../../src/testing/index.ts";
import { runProgram } from "../support/child.ts";
import { sharedPath } from "../support/shared.ts";
import { jsonlRepo, newStory } from "../support/stories.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { installed } from "./install.ts";

interface Told {
  readonly messages: readonly unknown[];
  readonly model: unknown;
  readonly thinkingLevel: string;
}

const commandLine = join(import.meta.dirname, "../../../cli/src/main.ts");
let pi: string;
let ohMyPi: string;

beforeAll(() => {
  pi = installed("pi", ["@earendil-works/pi-coding-agent@1.6.0"]);
  ohMyPi = installed("oh-my-pi", ["@oh-my-pi/pi-coding-agent@18.2.3", "bun"], ["bun/install.js"]);
});

/** Each peer gets a copy: pi rewrites what it opens. */
function copyOf(path: string): string {
  const copy = join(temporaryFolder(), basename(path));
  copyFileSync(path, copy);
  return copy;
}

function ask(program: string, script: string, folder: string, path: string): Told {
  const args = [join(import.meta.dirname, script), folder, copyOf(path)];
  const env = { ...process.env, HOME: temporaryFolder() };
  return JSON.parse(execFileSync(program, args, { env, encoding: "utf8", maxBuffer: 1 << 30 }));
}

const toldByPi = (path: string) => ask(process.execPath, "read-with-pi.mjs", pi, path);

function toldByOhMyPi(path: string): Told {
  const bun = join(ohMyPi, "node_modules/.bin/bun");
  return ask(bun, "read-with-oh-my-pi.mjs", ohMyPi, path);
}

async function toldByBough(path: string): Promise<Told> {
  const { stdout } = await runProgram(commandLine, ["context", path, "--json"]);
  const { messages, model, thinkingLevel } = JSON.parse(stdout);
  return { messages, model, thinkingLevel };
}

/** What the three agree on word for word: who speaks and what is said. */
function gist({ messages }: Told): string[] {
  return messages.map((message) => {
    const { role, content, summary } = message as { role: string; content?: unknown; summary?: string };
    const blocks = Array.isArray(content) ? content : [{ text: content }];
    const text = summary ?? blocks.map((block) => block.text ?? block.name ?? block.type).join("|");
    return `${role}: ${text}`;
  });
}

const slashed = (model: unknown) => {
  const ref = model as { provider: string; modelId: string } | null;
  return ref && `${ref.provider}/${ref.modelId}`;
};

async function expectAgreement(path: string): Promise<void> {
  const bough = await toldByBough(path);
  expect(toldByPi(path)).toEqual(bough);
  const ohMyPi = toldByOhMyPi(path);
  expect(gist(ohMyPi)).toEqual(gist(bough));
  expect({ model: ohMyPi.model, level: ohMyPi.thinkingLevel }).toEqual({
    model: slashed(bough.model),
    level: bough.thinkingLevel,
  });
}

const fixtures = ["pi-v1-before-compaction.jsonl", "pi-v1-large-session.jsonl"];

test.each(fixtures)(
  "pi tells the model of %s what bough tells it, before and after bough upgraded it",
  async (name) => {
    const fixture = sharedPath("fixtures", name);
    if (fixture === undefined) return;
    const path = copyOf(fixture);
    const before = await toldByBough(path);
    expect(toldByPi(path)).toEqual(before);
    const session = await jsonlRepo().open(path);
    await session.appendSessionName("upgraded");
    await session.close();
    expect(readFileSync(path, "utf8").split("\n", 1)[0]).toContain('"version":3');
    expect(await toldByBough(path)).toEqual(before);
    expect(toldByPi(path)).toEqual(before);
  },
);

const reply = (text: string) => ({ ...assistant(text), provider: "acme", model: "large" });

/** Branches, labels, names, usage, moves, summaries, edits of state: each kind of entry that bough writes. */
const lives: Readonly<Record<string, (session: Session) => Promise<unknown>>> = {
  "a plain talk": async (session) => {
    await session.appendModelChange("acme", "large");
    await session.appendThinkingLevelChange("high");
    await session.appendMessages([user("one"), reply("two"), user("three"), reply("four")]);
  },
  "moves, labels and names": async (session) => {
    const [first, second] = await session.appendMessages([user("one"), reply("two"), user("three")]);
    await session.appendLabel(first as string, "start");
    await session.moveTo(second as string);
    await session.appendMessages([user("other"), reply("five")]);
    await session.appendSessionName("a name");
    await session.moveTo(second as string);
    await session.appendLabel(first as string, "");
  },
  "an empty leaf": async (session) => {
    await session.appendMessages([user("one"), reply("two")]);
    await session.moveTo(null);
  },
  "a second root": async (session) => {
    await session.appendMessages([user("one"), reply("two")]);
    await session.moveTo(null);
    await session.appendMessages([user("again"), reply("yes")]);
  },
  "a compaction that keeps": async (session) => {
    const ids = await session.appendMessages([user("one"), reply("two"), user("three"), reply("four")]);
    await session.appendCompaction({ summary: "S", tokensBefore: 100, firstKeptEntryId: ids[2] as string });
    await session.appendMessages([user("five"), reply("six")]);
  },
  "a compaction that keeps nothing, twice": async (session) => {
    await session.appendMessages([user("one"), reply("two")]);
    await session.appendCompaction({ summary: "S1", tokensBefore: 100 });
    await session.appendMessages([user("three"), reply("four")]);
    await session.appendCompaction({ summary: "S2", tokensBefore: 100 });
    await session.appendMessage(user("five"));
  },
  "a branch summary": async (session) => {
    const ids = await session.appendMessages([user("one"), reply("two"), user("three"), reply("four")]);
    await session.moveTo(ids[1] as string, { summary: "tried three" });
    await session.appendMessage(user("five"));
  },
  "custom entries and messages": async (session) => {
    await session.appendMessages([user("one"), reply("two")]);
    await session.appendCustomEntry("state", { a: 1 });
    await session.appendCustomMessageEntry({ customType: "note", content: "hidden", display: false });
    await session.appendMessage(user("three"));
  },
  "two attempts side by side": async (session) => {
    const [first] = await session.appendMessages([user("one")]);
    const attempts = [session.at(first as string), session.at(first as string)];
    for (const [index, attempt] of attempts.entries()) await attempt.appendMessage(reply(`attempt ${index}`));
    await session.moveTo(first as string);
  },
};

test.each(Object.keys(lives))("pi, oh-my-pi and bough tell a model the same of %s", async (name) => {
  const { session, path } = await newStory();
  await lives[name]?.(session);
  await session.close();
  await expectAgreement(path);
});

test("pi, oh-my-pi and bough tell a model the same of a fork", async () => {
  const { session } = await newStory();
  await lives["moves, labels and names"]?.(session);
  const fork = await session.fork();
  await fork.appendMessages([user("in the fork"), reply("yes")]);
  await fork.close();
  await expectAgreement(fork.storage.ref.location as string);
});

test("bough takes up where pi left off, and pi where bough did", async () => {
  const path = join(temporaryFolder(), "s1.jsonl");
  writeFileSync(path, expand(`H()\nU(u1,-,"one")\nA(a1,u1,"two")\nU(u2,a1,"three")\nA(a2,u2,"four")\nL(l1,a1,u1,"x")`));
  await expectAgreement(path);
  const session = await jsonlRepo().open(path);
  expect(session.leafId).toBe("a1");
  await session.appendMessage(user("five"));
  await session.close();
  await expectAgreement(path);
});
