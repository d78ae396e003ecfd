import { copyFileSync, renameSync } from "node:fs";
import { expect, test } from "vitest";
import { assistant, user } from "../../src/index.ts";
import { expand } from "../../src/testing/index.ts";
import { newStory, openFile, textsOf } from "../support/stories.ts";

test("DL-03 CR-09 what is appended after the file was replaced is in the file that is there now", async () => {
  const { session, path, text } = await newStory();
  await session.appendMessage(user("one"));
  copyFileSync(path, `${path}.new`);
  renameSync(path, `${path}.old`);
  renameSync(`${path}.new`, path);
  await session.appendMessage(assistant("two"));
  expect(text()).toContain("two");
  expect(textsOf(await session.getBranch())).toEqual(["one", "two"]);
});

test("DL-07 LS-09 PO-11 a session of a directory that is gone is read whole, keeps it, and only grows", async () => {
  const turns = Array.from(
    { length: 40 },
    (_, index) => `U(u${index},${index === 0 ? "-" : `u${index - 1}`},"${index}")`,
  );
  const written = expand([`H(cwd:C:\\gone\\p)`, ...turns].join("\n"));
  const { session, text } = await openFile(written);
  expect(session.header.cwd).toBe("C:\\gone\\p");
  expect(await session.getEntries()).toHaveLength(40);
  await session.appendMessage(user("more"));
  expect(text().startsWith(written)).toBe(true);
});
