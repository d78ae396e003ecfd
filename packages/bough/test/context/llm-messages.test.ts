import fc from "fast-check";
import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/context.ts";
import { convertToLlm, toLlmMessages } from "../../src/context/llm-messages.ts";
import { getPathEntries } from "../../src/context/path-entries.ts";
import type { AgentMessage } from "../../src/entry/message.ts";
import { entriesOf } from "../../src/testing/notation.ts";
import { addition, paths, storedMessage, trees } from "./histories.ts";
import { assistant, calls, chain, compaction, type Draft, message, reset, result, user, words } from "./notation.ts";
import { refusal } from "./provider-valid.ts";

const projected = (entries: Parameters<typeof buildSessionContext>[0]) => {
  const messages = toLlmMessages(buildSessionContext(entries).messages);
  expect(refusal(messages)).toBeUndefined();
  return messages;
};
const sent = (...drafts: readonly Draft[]) => words(projected(chain(...drafts)));
const sentOf = (shorthand: string) => words(projected(entriesOf(shorthand)));
const noResult = "No result was recorded for this call.";

test("a plain conversation is passed on as the stored objects themselves", () => {
  const messages = buildSessionContext(
    chain(user("u1"), calls("c1", ["k1"]), result("r1", "k1"), assistant("a1")),
  ).messages;
  const projection = toLlmMessages(messages);
  expect(projection.every((each, index) => each === messages[index])).toBe(true);
  expect(projection).toHaveLength(4);
  expect(convertToLlm(messages)).toEqual(projection);
});

test("TP-01 pi-120 a failed reply is left out together with its results", () => {
  expect(
    sentOf(`U(u1,-,"list the files")
    C(c1,u1,k1,stop:aborted)
    R(r1,c1,k1,"a.ts b.")
    U(u2,r1,"go on")`),
  ).toEqual(["list the files", "go on"]);
});

test("a failed reply inside an open turn takes its own results and leaves the turn alone", () => {
  const failed = calls("c2", ["k1"], { stopReason: "error" });
  const path = [user("u1"), calls("c1", ["k1"]), failed, result("r1", "k1", "failed"), result("r2", "k1", "real")];
  expect(sent(...path)).toEqual(["u1", "k1", "real"]);
});

test("the calls of a failed reply claim no result of a later turn", () => {
  const path = [user("u1"), calls("c1", ["k1"], { stopReason: "aborted" }), user("u2"), calls("c2", ["k1"])];
  expect(sent(...path, result("r1", "k1"))).toEqual(["u1", "u2", "k1", "r1"]);
});

test("TP-02 AP-05 a missing result is made up as an error, in call order, with the time of its call", () => {
  const path = chain(user("u1"), calls("c1", ["k1", "k2", "k3"]), result("r2", "k2"), user("u2"));
  const projection = projected(path);
  expect(words(projection)).toEqual(["u1", "k1+k2+k3", noResult, "r2", noResult, "u2"]);
  expect(projection[2]).toEqual({
    role: "toolResult",
    toolCallId: "k1",
    toolName: "sh",
    content: [{ type: "text", text: noResult }],
    isError: true,
    timestamp: projection[1]?.timestamp,
  });
});

test("TP-03 a result that is stored twice is sent once", () => {
  expect(
    sentOf(`U(u1,-,"read")
    C(c1,u1,k1)
    R(r1,c1,k1,"text")
    R(r2,r1,k1,"text")
    A(a1,r2,"ok")`),
  ).toEqual(["read", "k1", "text", "ok"]);
});

test("TP-05 a result that comes after its turn was closed is not sent, and the made-up one stays", () => {
  expect(
    sentOf(`U(u1,-,"start")
    C(c1,u1,k1)
    U(u2,c1,"are you there")
    A(a2,u2,"yes")
    R(r1,a2,k1,"late")`),
  ).toEqual(["start", "k1", noResult, "are you there", "yes"]);
});

test("TP-06 an open turn waits at the end of the history, and is sent whole when its last result arrives", () => {
  const turn = [user("u1"), calls("c1", ["k1", "k2"]), result("r2", "k2"), result("r1", "k1")];
  expect([2, 3, 4].map((length) => sent(...turn.slice(0, length)))).toEqual([
    ["u1"],
    ["u1"],
    ["u1", "k1+k2", "r1", "r2"],
  ]);
});

test("CC-13 a call and its result stay together when another writer came between them", () => {
  expect(
    sentOf(`U(u1,-,"start")
    C(c1,u1,k1)
    U(x1,c1,"intruder")
    R(r1,x1,k1,"done")`),
  ).toEqual(["start", "k1", noResult, "intruder"]);
});

test("what is not sent doesn't close a turn", () => {
  const hidden = message("b1", { role: "bashExecution", command: "ls", output: "", excludeFromContext: true });
  const silent = [
    hidden,
    user("u2", " "),
    message("x1", { role: "fileMention" }),
    result("r0", "k9"),
    assistant("a0", ""),
  ];
  expect(sent(user("u1"), calls("c1", ["k1"]), ...silent, result("r1", "k1"))).toEqual(["u1", "k1", "r1"]);
});

test("CM-01 a result whose call was summarised is dropped, also past a chained compaction", () => {
  const words = sentOf(`U(u1,-,"fix it")
    C(c1,u1,k1)
    K(p1,c1,u1,"S1")
    R(r1,p1,k1,"ok")
    A(a1,r1,"fixed")
    U(u2,a1,"next")
    A(a2,u2,"sure")
    K(p2,a2,p1,"S2")`);
  expect(words.slice(1)).toEqual(["fixed", "next", "sure"]);
  expect(words[0]).toContain("S2");
});

test("CM-22 a cut at a tool result sends none of its turn's results", () => {
  const words = sentOf(`U(u1,-,"a")
    C(c1,u1,k1,k2)
    R(r1,c1,k1,"1")
    R(r2,r1,k2,"2")
    A(a1,r2,"b")
    K(p1,a1,r2,"S")`);
  expect(words.slice(1)).toEqual(["b"]);
});

test("CM-15 pi-114 omp-55 a summary is wrapped and introduced, and never the last thing the user said", () => {
  const path = entriesOf(`U(u1,-,"remove folder out/")
    A(a1,u1,"removed")
    U(u2,a1,"what is left?")
    A(a2,u2,"two files")
    K(p1,a2,u2,"S")
    B(b1,p1,a1,"tried")
    U(u3,b1,"thanks")`);
  const [summary, , , branch, last] = projected(path);
  expect([summary?.role, branch?.role]).toEqual(["user", "user"]);
  expect(words([summary, branch] as AgentMessage[])).toEqual([
    expect.stringMatching(/.\n\n<summary>\nS\n<\/summary>$/),
    expect.stringMatching(/.\n\n<summary>\ntried\n<\/summary>$/),
  ]);
  expect(last).toMatchObject({ role: "user", content: [{ text: "thanks" }] });
});

test("a call id that is used again gets a number, and each result goes to the nearest call", () => {
  const turn = (n: number) => [user(`u${n}`), calls(`c${n}`, ["k1"]), result(`r${n}`, "k1")];
  const projection = projected(
    chain(...turn(1), ...turn(2), calls("c3", ["k1", "k1"]), result("r3", "k1"), user("u3")),
  );
  expect(words(projection)).toEqual([
    ...["u1", "k1", "r1"],
    ...["u2", "k1_2", "r2"],
    ...["k1_3+k1_4", "r3", noResult],
    "u3",
  ]);
});

test("a result that stands before its call is not its result", () => {
  expect(sent(user("u1"), result("r1", "k1"), calls("c1", ["k1"]), user("u2"))).toEqual(["u1", "k1", noResult, "u2"]);
});

test("a history that begins with a reply loses nothing: the user speaks first", () => {
  const path = chain(user("u1"), reset("x1"), calls("c1", ["k1"]), result("r1", "k1"));
  const projection = projected(path);
  expect(words(projection).slice(1)).toEqual(["k1", "r1"]);
  expect(projection[0]).toMatchObject({ role: "user", timestamp: projection[1]?.timestamp });
  expect(sent(user("u1"), assistant("a1"), compaction("p1", "a1")).slice(1)).toEqual(["a1"]);
});

test("TP-08 empty blocks and empty messages are left out", () => {
  expect(
    sentOf(`U(u1,-,"go")
    A(a1,u1,"",stop:aborted)
    U(u2,a1,"again")
    A(a2,u2,"   ")
    U(u3,a2,"third")`),
  ).toEqual(["go", "again", "third"]);
  const call = { type: "toolCall", id: "k1", name: "sh", arguments: {} };
  const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
  const path = [
    user("u1"),
    assistant("a1", [{ type: "text", text: "" }, call]),
    message("r1", { role: "toolResult", toolCallId: "k1", toolName: "sh", content: null, isError: false }),
    assistant("a2", [thinking]),
    message("a3", { role: "assistant", content: null }),
  ];
  expect(sent(...path)).toEqual(["u1", "k1", "(no output)"]);
});

test("TP-09 signed blocks are passed on byte-equal and in order, unsigned thinking is left out", () => {
  const content = [
    { type: "thinking", thinking: "x".repeat(4000), thinkingSignature: "s1", extra: 1 },
    { type: "text", text: "now", textSignature: "s2" },
    { type: "thinking", thinking: "", thinkingSignature: "s3", redacted: true },
    { type: "toolCall", id: "k1", name: "sh", arguments: { a: 1 }, thoughtSignature: "s4" },
  ];
  const path = chain(user("u1"), assistant("c1", content), result("r1", "k1"));
  expect(projected(path)[1]?.content).toBe((path[1] as { message: { content: unknown } } | undefined)?.message.content);
  expect(
    sent(
      user("u1"),
      assistant("a1", [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "x" },
      ]),
    ),
  ).toEqual(["u1", "x"]);
});

test("TP-10 another model's signatures are left out, and on its return they are back", () => {
  const path = entriesOf(`M(m0,-,"acme/large")
    U(u1,m0,"think")
    A(a1,u1,"answer",thinking:signed-by-acme)
    M(m1,a1,"other/small")
    U(u2,m1,"next")`);
  const { messages, model } = buildSessionContext(path);
  const replyFor = (asked: typeof model) => toLlmMessages(messages, { model: asked })[1]?.content;
  expect(replyFor(model)).toEqual([{ type: "text", text: "answer" }]);
  expect(replyFor({ provider: "acme", modelId: "large" })).toHaveLength(2);
});

test("TP-12 an image whose blob is missing becomes text", () => {
  const data = `blob:sha256:${"0".repeat(64)}`;
  const image = { type: "image", data, mimeType: "image/png" };
  expect(sent(message("u1", { role: "user", content: [image] }))).toEqual([
    `[image missing: sha256:${"0".repeat(64)}]`,
  ]);
});

test("DL-14 half a surrogate pair becomes U+FFFD, and the stored message stays as it was", () => {
  const half = "ok 🔥".slice(0, 4);
  const stored = chain(
    user("u1", half),
    assistant("c1", [{ type: "toolCall", id: half, name: "sh", arguments: { [half]: [half], ["__proto__"]: half } }]),
    result("r1", half, half),
  );
  const before = JSON.stringify(stored);
  const projection = projected(stored);
  const fixed = "ok \ufffd";
  expect(words(projection)).toEqual([fixed, fixed, fixed]);
  expect(JSON.stringify(projection[1])).toContain(JSON.stringify({ [fixed]: [fixed], ["__proto__"]: fixed }));
  expect(JSON.stringify(stored)).toBe(before);
});

test("a signed thinking block that can't be sent as it is is left out whole", () => {
  const thinking = { type: "thinking", thinking: "\ud83d", thinkingSignature: "sig" };
  expect(sent(user("u1"), assistant("a1", [thinking, { type: "text", text: "x" }]))).toEqual(["u1", "x"]);
});

test("of arguments that are nested deeper than programs can send what is above is sent", () => {
  let nested: unknown = "\ud83d";
  for (let depth = 0; depth < 100_000; depth++) nested = [nested];
  const call = { type: "toolCall", id: "k1", name: "sh", arguments: { nested } };
  const messages = [user("u1"), assistant("c1", [call]), result("r1", "k1")].map(
    (draft) => draft.message as AgentMessage,
  );
  const projection = toLlmMessages(messages);
  expect(projection).toHaveLength(3);
  expect(JSON.stringify(projection)).toContain(`${"[".repeat(199)}null]`);
  expect(messages[1]).toMatchObject({ content: [{ arguments: { nested } }] });
});

test("pi-112 pi-116 omp-53 custom messages become the user's, with their images", () => {
  const content = [
    { type: "text", text: "look" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
  ];
  const custom = { role: "custom", customType: "n", content, display: false, timestamp: 5 } as const;
  expect(toLlmMessages([custom as AgentMessage, { ...custom, content: "text" }])).toEqual([
    { role: "user", content, timestamp: 5 },
    { role: "user", content: [{ type: "text", text: "text" }], timestamp: 5 },
  ]);
});

test("pi-113 a command says how it ended: cancelled beats the exit code, 0 says nothing, and the full output is named", () => {
  const bash = {
    role: "bashExecution",
    command: "ls",
    output: "a\n",
    cancelled: false,
    truncated: false,
    timestamp: 5,
  };
  const said = (fields: object) => words(toLlmMessages([{ ...bash, ...fields } as AgentMessage])).join();
  expect(said({ exitCode: 0 })).not.toMatch(/exit code|cancelled/);
  expect(said({ exitCode: 2 })).toMatch(/exit code 2/);
  expect(said({ exitCode: 2, cancelled: true })).toMatch(/cancelled/);
  expect(said({ exitCode: 2, cancelled: true })).not.toMatch(/exit code/);
  expect(said({ truncated: true, fullOutputPath: "/out.log" })).toContain("/out.log");
  expect(said({ fullOutputPath: "/out.log" })).not.toContain("/out.log");
  expect(said({ output: "```\n" })).toContain("````\n```\n````");
  expect(said({ excludeFromContext: true })).toBe("");
});

test("pi-115 unknown roles and values that are no message are dropped", () => {
  const junk = [{ role: "unknown", content: "x" }, {}, null, 3, "text"] as unknown as AgentMessage[];
  expect(toLlmMessages(junk)).toEqual([]);
});

test("system messages stand in the prompt, not in the conversation", () => {
  const path = chain(message("s1", { role: "system", content: "Be brief." }), user("u1"));
  const context = buildSessionContext(path);
  expect(context.systemPrompt).toBe("Be brief.");
  expect(words(toLlmMessages(context.messages))).toEqual(["u1"]);
});

test("omp-63 the projection of any leaf of any tree is valid", () => {
  fc.assert(
    fc.property(trees(60), (entries) => {
      for (const { id } of entries) {
        const { messages, model } = buildSessionContext(getPathEntries(entries, id));
        expect(refusal(toLlmMessages(messages))).toBeUndefined();
        expect(refusal(toLlmMessages(messages, { model }))).toBeUndefined();
      }
    }),
    { numRuns: 300 },
  );
});

test("messages in any order whatever make a valid projection, and a longer list never changes what was there", () => {
  fc.assert(
    fc.property(fc.array(storedMessage, { maxLength: 60, size: "max" }), (stored) => {
      const messages = stored.map((each, timestamp) => ({ ...each, timestamp })) as unknown as AgentMessage[];
      let before = "";
      for (let length = 0; length <= messages.length; length++) {
        const projection = toLlmMessages(messages.slice(0, length));
        expect(refusal(projection)).toBeUndefined();
        const bytes = projection.map((each) => `${JSON.stringify(each)}\n`).join("");
        expect(bytes.startsWith(before)).toBe(true);
        before = bytes;
      }
    }),
    { numRuns: 500 },
  );
});

test("appending entries never changes what was projected before, after a compaction neither", () => {
  fc.assert(
    fc.property(paths(20), paths(30, addition), (past, more) => {
      const future = more.map((entry, index) => ({ ...entry, id: `f${index}` }));
      let before = "";
      for (let length = 0; length <= future.length; length++) {
        const { messages } = buildSessionContext([...past, ...future.slice(0, length)]);
        const bytes = toLlmMessages(messages)
          .map((each) => `${JSON.stringify(each)}\n`)
          .join("");
        expect(bytes.startsWith(before)).toBe(true);
        before = bytes;
      }
    }),
    { numRuns: 300 },
  );
});
