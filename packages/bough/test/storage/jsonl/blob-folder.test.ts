import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toLlmMessages } from "../../../src/context/index.ts";
import { Session } from "../../../src/index.ts";
import { JsonlStorage } from "../../../src/storage/jsonl/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const bytes = Buffer.from("the bytes of an image");
const digest = createHash("sha256").update(bytes).digest("hex");
const other = "0".repeat(64);

async function sessionWithImages(stored: Readonly<Record<string, Uint8Array>>): Promise<Session> {
  const agent = temporaryFolder();
  const folder = join(agent, "sessions", "--w-p--");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(agent, "blobs"));
  for (const [name, content] of Object.entries(stored)) writeFileSync(join(agent, "blobs", name), content);
  const image = (hex: string) => ({ type: "image", data: `blob:sha256:${hex}`, mimeType: "image/png" });
  const content = [{ type: "text", text: "look" }, image(digest), image(other)];
  const lines = [
    { type: "session", version: 3, id: "s1", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w/p" },
    {
      type: "message",
      id: "u1",
      parentId: null,
      timestamp: "2026-01-01T00:00:01.000Z",
      message: { role: "user", content, timestamp: 1 },
    },
  ];
  const path = join(folder, "s.jsonl");
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return new Session(await JsonlStorage.open(path, { durability: "process" }));
}

test("TP-12 images kept beside a session are in its context, and a missing one is a text", async () => {
  const session = await sessionWithImages({ [digest]: bytes });
  const { context, diagnostics } = await session.inspectContext();
  expect(diagnostics.map(({ code, entryId }) => [code, entryId])).toEqual([["missing_blob", "u1"]]);
  const [message] = toLlmMessages(context.messages);
  expect(message?.content).toEqual([
    { type: "text", text: "look" },
    { type: "image", data: bytes.toString("base64"), mimeType: "image/png" },
    { type: "text", text: `[image missing: sha256:${other}]` },
  ]);
  expect((await session.check()).diagnostics.map(({ code, entryId }) => [code, entryId])).toEqual([
    ["missing_blob", "u1"],
  ]);
  expect(JSON.stringify(await session.getEntry("u1"))).toContain(`blob:sha256:${digest}`);
});

test("a blob that doesn't have the digest of its name is missing", async () => {
  const session = await sessionWithImages({ [digest]: Buffer.from("something else") });
  const { diagnostics } = await session.inspectContext();
  expect(diagnostics.map(({ code }) => code)).toEqual(["missing_blob", "missing_blob"]);
});
