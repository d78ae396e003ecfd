import { expect, test } from "vitest";
import { newStory, openFile, openStory } from "../support/stories.ts";
import { assistant, type EntryFactory, user } from "./engine.ts";

test("pi-1 pi-3 pi-5 pi-16 omp-2 omp-5 a file is a header and one line an entry, with what every entry has", async () => {
  const { session, text, bytes } = await newStory();
  await session.appendMessages([user("one"), assistant("two")]);
  await session.appendCustomEntry("state");
  expect(text().startsWith('{"type":"session","version":3,')).toBe(true);
  expect(bytes().at(-1)).toBe(0x0a);
  const [header, ...entries] = text()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(header).toMatchObject({ id: session.id, cwd: "/w/p", timestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(entries).toHaveLength(3);
  for (const entry of entries) {
    expect(entry).toMatchObject({
      type: expect.any(String),
      id: expect.any(String),
      timestamp: expect.stringMatching(/Z$/),
    });
    expect(entry.parentId === null || typeof entry.parentId === "string").toBe(true);
  }
  expect(entries[2]).not.toHaveProperty("data");
});

test("pi-4 fields are written in camelCase", async () => {
  const { session, text } = await newStory();
  await session.appendModelChange("acme", "large");
  expect(text()).toContain('"parentId":null');
  expect(text()).toContain('"modelId":"large"');
});

test("omp-6 whatever is done to a session, its former content stays in front of what is added", async () => {
  const { session, bytes } = await newStory();
  const steps = [
    () => session.appendMessages([user("one"), assistant("two")]),
    () => session.moveTo(null),
    () => session.appendMessage(user("three")),
    () => session.appendLabel(session.leafId as string, "x"),
    () => session.appendSessionName("name"),
    () => session.appendCompaction({ summary: "S", tokensBefore: 1 }),
    () => session.fork(),
  ];
  for (const step of steps) {
    const before = bytes();
    await step();
    expect(bytes().subarray(0, before.length)).toEqual(before);
  }
});

test("pi-12 omp-3 ids are unique, and a session id that would be no file name is refused", async () => {
  const { repo, session } = await newStory();
  for (const id of ["../x", "", "-a", "a-", "a/b", "..", "a\0b", "/abs", "x".repeat(300)]) {
    await expect(repo.create({ id })).rejects.toMatchObject({ code: "invalid_session" });
  }
  expect((await repo.create({ id: "a.b_c-1" })).id).toBe("a.b_c-1");
  const ids = await session.appendMessages(Array.from({ length: 1000 }, () => user("x")));
  expect(new Set(ids).size).toBe(1000);
});

test("pi-7 pi-8 an id that is taken is made anew, and a generator that never ends doing so is given up", async () => {
  let made = 0;
  const stubborn: EntryFactory = { now: () => 0, newId: () => (made++ < 2 ? "first" : made < 5 ? "first" : "second") };
  const { session } = await openStory(`U(first,-,"one")`, { factory: stubborn });
  expect(await session.appendMessage(user("two"))).toBe("second");
  const broken = await openStory(`U(same,-,"one")`, { factory: { now: () => 0, newId: () => "same" } });
  const id = await broken.session.appendMessage(user("two"));
  expect(id).not.toBe("same");
  expect(await broken.session.getEntries()).toHaveLength(2);
});

test("omp-8 omp-9 a start record keeps its fields, and injected rules add up along the path", async () => {
  const { session } = await newStory();
  const init = { systemPrompt: "s", task: "t", tools: ["sh"], outputSchema: { type: "object" } };
  const id = await session.appendSessionInit(init);
  expect(await session.getEntry(id)).toMatchObject({ type: "session_init", ...init });
  await session.appendTtsrInjection(["a"]);
  await session.appendTtsrInjection(["b", "a"]);
  expect([...(await session.buildContext()).injectedRules].sort()).toEqual(["a", "b"]);
  await session.moveTo(id);
  expect((await session.buildContext()).injectedRules).toEqual([]);
});

test("omp-26 omp-28 a compaction stores what it was given and no more, and a custom message takes blocks", async () => {
  const { session } = await newStory();
  await session.appendMessage(user("one"));
  const bare = await session.appendCompaction({ summary: "S", tokensBefore: 1 });
  const stored = await session.getEntry(bare);
  for (const field of ["details", "preserveData", "fromHook", "retainedTail", "usage"])
    expect(stored).not.toHaveProperty(field);
  const whole = { summary: "S", tokensBefore: 1, details: { a: 1 }, preserveData: { b: 2 }, fromHook: true };
  expect(await session.getEntry(await session.appendCompaction(whole))).toMatchObject(whole);
  const content = [
    { type: "text", text: "t" },
    { type: "image", data: "AA==", mimeType: "image/png" },
  ] as const;
  const note = await session.appendCustomMessageEntry({ customType: "n", content, display: false });
  expect(await session.getEntry(note)).toMatchObject({ type: "custom_message", content, display: false });
});

test("pi-63 omp-72 after flush everything is in the file for others to read", async () => {
  const { session, reopened } = await newStory();
  const pending = [session.appendMessage(user("one")), session.appendMessage(user("two"))];
  await session.flush();
  await Promise.all(pending);
  expect(await (await reopened()).getEntries()).toHaveLength(2);
});

test("omp-67 omp-68 pi-31 opening a file of any version writes nothing, twice", async () => {
  const v1 = [
    { type: "session", id: "old", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" },
    { type: "message", timestamp: "2026-01-01T00:00:01.000Z", message: { role: "user", content: "one" } },
  ];
  const { statSync } = await import("node:fs");
  for (const content of [v1.map((line) => `${JSON.stringify(line)}\n`).join(""), undefined]) {
    const { session, path, bytes, reopened } = content ? await openFile(content) : await openStory(`U(u1,-,"one")`);
    const before = { bytes: bytes(), time: statSync(path, { bigint: true }).mtimeNs };
    await session.buildContext();
    await session.close();
    await (await reopened()).close();
    expect({ bytes: bytes(), time: statSync(path, { bigint: true }).mtimeNs }).toEqual(before);
  }
});

test("pi-217 omp-81 usage adds up over all branches, and incomplete figures count what they have", async () => {
  const { session, reopened } = await openStory(`U(u1,-,"a")
    A(a1,u1,"b",usage:10,cost:0.5)
    A(a2,u1,"c",usage:5,cost:0.25)
    A(a3,u1,"d",usage:none)`);
  await session.appendUsage({ kind: "title", provider: "p", model: "m", usage: { input: 3 } as never });
  const wanted = { totalTokens: 18, costTotal: 0.75, unknownReplies: 1 };
  expect(await session.getSessionStats()).toMatchObject(wanted);
  expect(await (await reopened()).getSessionStats()).toMatchObject(wanted);
});
