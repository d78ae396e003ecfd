import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionInfo } from "../../../src/session/session-store.ts";
import { SummaryFold } from "../../../src/session/summary-fold.ts";
import { SummaryReader } from "../../../src/storage/jsonl/summary.ts";
import { SummaryScan } from "../../../src/storage/jsonl/summary-scan.ts";
import { decodeFile, fileOf } from "../../support/decode.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { header } from "./records.ts";

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`;
let serial = 0;

function message(role: string, content: unknown, second = 1): object {
  return { type: "message", id: `m${serial++}`, parentId: null, timestamp: at(second), message: { role, content } };
}

function entry(type: string, fields: object, second = 1): object {
  return { type, id: `x${serial++}`, parentId: null, timestamp: at(second), ...fields };
}

function scanned(content: string | Uint8Array, chunkSize = 1 << 20): SessionInfo {
  const scan = new SummaryScan("/s.jsonl");
  const bytes = Buffer.from(content as string);
  for (let from = 0; from < bytes.length; from += chunkSize) scan.push(bytes.subarray(from, from + chunkSize));
  return scan.end(new Date(0));
}

function summaryOf(...records: (object | string)[]): SessionInfo {
  return scanned(fileOf(header, ...records));
}

test("a session's line in a list", () => {
  const file = fileOf(
    { ...header, parentSession: "/p.jsonl", metadata: { team: "a" } },
    message("user", "first  prompt", 1),
    message("assistant", [{ type: "text", text: "answer" }], 2),
    entry("session_info", { name: " A\nname " }, 9),
  );
  expect(scanned(file)).toEqual({
    status: "ok",
    id: "s1",
    path: "/s.jsonl",
    cwd: "/w/p",
    name: "A name",
    firstMessage: "first prompt",
    messageCount: 2,
    created: header.timestamp,
    modified: at(2),
    parentSession: "/p.jsonl",
    metadata: { team: "a" },
  });
});

describe("the preview", () => {
  test.each([
    [
      "text blocks",
      [
        message("user", [
          { type: "text", text: "a" },
          { type: "image", data: "" },
          { type: "text", text: "b" },
        ]),
      ],
      "a [image] b",
    ],
    ["the first text that is not blank", [message("user", "  "), message("user", []), message("user", "b")], "b"],
    [
      "LS-02 the model's text where the user wrote none",
      [
        entry("custom", { customType: "ide" }),
        message("assistant", [{ type: "text", text: "resuming" }]),
        message("toolResult", []),
      ],
      "resuming",
    ],
    [
      "LS-02 the user's text whatever stands before it",
      [message("assistant", [{ type: "text", text: "x" }]), message("user", "mine")],
      "mine",
    ],
    [
      "LS-02 a message that was put in",
      [entry("custom_message", { customType: "n", content: "noted", display: true })],
      "noted",
    ],
    ["nothing", [entry("custom", { customType: "ide" })], "(no messages)"],
    [
      "odd contents",
      [
        message("user", null),
        message("user", 5),
        message("user", [null, 1, { type: "text" }]),
        { type: "message", id: "z", parentId: null, timestamp: at(1) },
      ],
      "(no messages)",
    ],
  ])("is %s", (_what, records, expected) => {
    expect(summaryOf(...records).firstMessage).toBe(expected);
  });

  test("is cut between characters", () => {
    const { firstMessage } = summaryOf(message("user", `${"x".repeat(198)}\u{1f600}${"y".repeat(9000)}`));
    expect(firstMessage).toBe(`${"x".repeat(198)}\u{1f600}…`);
  });

  test("of a message longer than is kept is its start", () => {
    for (const filler of ["y", '\\"', "é", "\\u00e9", "\u{1f600}"]) {
      const text = JSON.parse(`"go ${filler.repeat(100_000)}"`);
      const { firstMessage, messageCount } = summaryOf(message("user", text), message("user", "later"));
      expect(messageCount).toBe(2);
      expect(firstMessage.length).toBeGreaterThan(150);
      expect(text.startsWith(firstMessage.slice(0, -1))).toBe(true);
    }
  });

  test("LS-01 says image where one fills the first message", () => {
    for (const size of [200_000, 5_000_000]) {
      const image = { type: "image", data: "A".repeat(size), mimeType: "image/png" };
      const first = message("user", [image]);
      const rest = Array.from({ length: 100 }, (_, index) => message("user", `number ${index}`));
      const summary = summaryOf(
        first,
        ...rest.slice(0, 50),
        entry("session_info", { name: "found" }),
        ...rest.slice(50),
      );
      expect(summary).toMatchObject({ firstMessage: "[image]", messageCount: 101, name: "found" });
    }
  });
});

describe("the name", () => {
  const filler = Array.from({ length: 1000 }, () => message("assistant", [{ type: "text", text: "z".repeat(1000) }]));

  test("pi-199 LS-11 is the last one, wherever it stands", () => {
    const named = entry("session_info", { name: "My name" });
    expect(summaryOf(entry("session_info", { name: "old" }), ...filler, named, ...filler).name).toBe("My name");
  });

  test("LS-11 is gone once it was cleared", () => {
    expect(summaryOf(entry("session_info", { name: "a" }), entry("session_info", { name: " " }))).not.toHaveProperty(
      "name",
    );
    expect(summaryOf(entry("session_info", { name: "a" }), entry("session_info", {}))).not.toHaveProperty("name");
  });

  test("may be a title of oh-my-pi", () => {
    const title = { type: "title", v: 1, title: "Slot", pad: " ".repeat(100) };
    expect(scanned(fileOf(title, header)).name).toBe("Slot");
    expect(scanned(fileOf(title, header, entry("title_change", { title: "Later" }))).name).toBe("Later");
  });
});

describe("the time", () => {
  test("pi-199 LS-08 is that of the last message, not of a mark", () => {
    const marks = [
      entry("label", { targetId: "m" }, 50),
      entry("session_info", { name: "n" }, 51),
      entry("leaf", { targetId: null }, 52),
    ];
    expect(summaryOf(message("user", "a", 3), ...marks).modified).toBe(at(3));
  });

  test("LS-08 is the message's own, before that of its entry, and of people and models alone", () => {
    const said = (role: string, fields: object, second: number) => ({
      ...entry("message", { message: { role, content: "x", ...fields } }, second),
    });
    const own = Date.parse(at(20));
    expect(summaryOf(said("user", { timestamp: own }, 3), said("toolResult", {}, 50)).modified).toBe(at(20));
    expect(summaryOf(said("user", {}, 3), said("assistant", { timestamp: own, model: "m" }, 4)).modified).toBe(at(20));
    expect(summaryOf(said("user", { timestamp: 1e300 }, 3)).modified).toBe(at(3));
    expect(summaryOf(said("user", { timestamp: own, content: [{ timestamp: 5 }] }, 3)).modified).toBe(at(20));
    expect(summaryOf(said("toolResult", {}, 50)).modified).toBe(header.timestamp);
  });

  test("LS-08 is found at the end of a message longer than is kept", () => {
    const long = { role: "user", content: "x".repeat(200_000), timestamp: Date.parse(at(30)) };
    const first = entry("message", { message: { role: "user", content: "first" } }, 1);
    expect(summaryOf(first, entry("message", { message: long }, 2)).modified).toBe(at(30));
    expect(summaryOf(entry("message", { message: long }, 2)).modified).toBe(at(30));
  });

  test("is the session's own where there is no message, and the file's where there is none", () => {
    expect(summaryOf().modified).toBe(header.timestamp);
    expect(scanned(fileOf({ type: "session", id: "s1" })).modified).toBe(new Date(0).toISOString());
  });
});

describe("what else may be in a file", () => {
  test("fields in another order", () => {
    const record =
      '{"message":{"role":"user","content":"hi"},"parentId":null,"timestamp":"2026-01-01T00:00:07.000Z","id":"a","type":"message"}';
    expect(summaryOf(record)).toMatchObject({ firstMessage: "hi", messageCount: 1, modified: at(7) });
  });

  test("broken lines, scalars, NULs, carriage returns and a torn tail", () => {
    const content = `${fileOf(header, "{torn", "42", `\0\0${JSON.stringify(message("user", "a"))}`, "")}\r\n${JSON.stringify(message("user", "b")).slice(0, -3)}`;
    expect(scanned(content)).toMatchObject({ firstMessage: "a", messageCount: 1 });
  });

  test("a last line without a newline", () => {
    expect(scanned(fileOf(header) + JSON.stringify(message("user", "b")))).toMatchObject({ messageCount: 1 });
  });

  test("an older version, and a newer one", () => {
    const v1 = { ...header, version: undefined };
    const old = { type: "message", timestamp: at(4), message: { role: "user", content: "old" } };
    expect(scanned(fileOf(v1, old))).toMatchObject({ firstMessage: "old", messageCount: 1, modified: at(4) });
    expect(scanned(fileOf({ ...header, version: 99 }, message("user", "new")))).toMatchObject({ firstMessage: "new" });
  });

  test("chunks end anywhere", () => {
    const content = fileOf(
      header,
      message("user", "é\u{1f600}"),
      "{torn",
      entry("session_info", { name: "ü" }),
      message("user", "b", 5),
    );
    const whole = scanned(content);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (size) => {
        expect(scanned(content, size)).toEqual(whole);
      }),
    );
  });
});

test("AP-01 a list says what reading the entries says", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("x".repeat(70_000)));
  const role = fc.constantFrom("user", "assistant", "toolResult", "system");
  const time = fc.oneof(
    fc.constant({}),
    fc.integer({ min: -5, max: 4e12 }).map((timestamp) => ({ timestamp })),
    fc.constantFrom(999_999_999_999_999, 8_639_999_999_999_999, 1e300).map((timestamp) => ({ timestamp })),
  );
  const behind = fc.constantFrom({}, { duration: 1.5e3, id: "r" }, { details: { timestamp: 7 } }, { note: 'a ",' });
  const record = fc.oneof(
    fc.tuple(role, text, time, behind).map(([role, text, time, behind]) => {
      const content = role === "user" ? text : [{ type: "text", text }];
      // Of what isn't held whole the time is found at the usual end alone.
      const rest = text.length > 10_000 ? {} : behind;
      return entry("message", { message: { role, content, ...time, ...rest } }, 5);
    }),
    fc.constant(message("user", [{ type: "image", data: "A".repeat(70_000) }])),
    text.map((name) => entry("session_info", { name: name.slice(0, 100) })),
    text.map((content) => entry("custom_message", { customType: "n", content: content.slice(0, 100), display: true })),
    fc.constant(entry("label", { targetId: "x", label: "y" }, 9)),
  );
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), (records) => {
      const file = fileOf(header, ...records);
      const fold = new SummaryFold(header);
      for (const read of decodeFile(file).entries) fold.add(read);
      expect(scanned(file)).toEqual({ ...fold.info(), path: "/s.jsonl" });
    }),
  );
});

describe("what is no session", () => {
  function stored(content: string): string {
    const path = join(temporaryFolder(), "2026_s9.jsonl");
    writeFileSync(path, content);
    return path;
  }

  test.each([
    ["CR-04 NUL bytes", "\0".repeat(413), "invalid_session"],
    ["an empty file", "", "invalid_session"],
    ["another agent's file", '{"type":"user","sessionId":"x"}\n', "invalid_session"],
    ["a version that is no number", '{"type":"session","id":"s1","version":"x"}\n', "unsupported_version"],
  ])("is reported: %s", async (_what, content, code) => {
    const path = stored(content);
    expect(await new SummaryReader().read(path)).toMatchObject({
      status: "unreadable",
      id: "s9",
      path,
      error: { code },
    });
  });

  test("a folder and nothing at all are reported", async () => {
    const folder = temporaryFolder();
    expect(await new SummaryReader().read(folder)).toMatchObject({
      status: "unreadable",
      error: { code: "invalid_session" },
    });
    expect(await new SummaryReader().read(join(folder, "x.jsonl"))).toMatchObject({
      status: "unreadable",
      error: { code: "not_found" },
    });
  });

  test("an abort is no answer", async () => {
    const reason = new Error("enough");
    await expect(new SummaryReader({ signal: AbortSignal.abort(reason) }).read(stored(fileOf(header)))).rejects.toBe(
      reason,
    );
  });

  test("a session that is not wanted is read no further than its header", async () => {
    const path = stored(`${fileOf(header)}${"x".repeat(1 << 20)}`);
    expect(await new SummaryReader({ wants: ({ cwd }) => cwd === "/other" }).read(path)).toEqual({
      status: "unwanted",
    });
    expect(await new SummaryReader({ wants: ({ cwd }) => cwd === "/w/p" }).read(path)).toMatchObject({ status: "ok" });
  });
});
