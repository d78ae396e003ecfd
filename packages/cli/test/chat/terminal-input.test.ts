import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { permissionFrom } from "../../src/chat/permission.ts";
import { TerminalInput } from "../../src/chat/terminal-input.ts";
import { Output } from "../../src/output.ts";

/** Longer than it takes until lines are no longer one paste. */
const aMoment = 60;
const enter = "\r";
const backspace = "\u007f";

/** Somebody who types, without a terminal around them. */
function somebody() {
  const keyboard = new PassThrough();
  const screen = Object.assign(new PassThrough(), { columns: 80, isTTY: true }) as never as NodeJS.WriteStream;
  const asides: string[] = [];
  let printed = "";
  screen.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const input = new TerminalInput({
    ...{ input: keyboard, output: screen, completions: [] },
    onAside: (text) => asides.push(text),
    onInterrupt: () => void input.clear(),
  });
  onTestFinished(() => input.close());
  const type = async (keys: string) => {
    keyboard.write(keys);
    await sleep(aMoment);
  };
  return { input, asides, type, output: new Output(screen), printed: () => printed };
}

test("after the program was stopped and taken up again, lines are read", async () => {
  const { input, type } = somebody();
  const line = input.line();
  process.once("SIGTSTP", () => undefined);
  await type("ab\u001a");
  process.emit("SIGCONT");
  await type(`c${enter}`);
  expect(await line).toBe("abc");
});

test("what was being typed when a question appears is no answer, and stands in the next line", async () => {
  const { input, type, asides } = somebody();
  await type("y");
  const answer = input.line({ prompt: "Run? " });
  await type(enter);
  expect(await answer).toBe("");
  const line = input.line();
  await type(`es${enter}`);
  expect(await line).toBe("yes");
  expect(asides).toEqual([]);
});

test("what is said at a question for permission and is no answer stands in the next line", async () => {
  const { input, type, output } = somebody();
  const permission = permissionFrom(input, output)(
    { name: "bash", arguments: { command: "ls" }, folder: "/work" },
    undefined,
  );
  await sleep(aMoment);
  await type(`use rg instead${enter}`);
  await type(`n${enter}`);
  expect(await permission).toBe("no");
  const line = input.line();
  await type(enter);
  expect(await line).toBe("use rg instead");
});

test("a question shows a command whole, and says what it hides of other calls, and shows it", async () => {
  const { input, type, output, printed } = somebody();
  const ask = permissionFrom(input, output);
  const lines = Array.from({ length: 90 }, (_, index) => `line ${index}`).join("\n");
  const command = ask({ name: "bash", arguments: { command: lines }, folder: "/work" }, undefined);
  await sleep(aMoment);
  expect(printed()).toMatch(/ {2}in \/work\n {2}\$ line 0\n(.*\n)*.*line 89\n/);
  await type(`n${enter}`);
  await command;

  const write = ask(
    { name: "edit", arguments: { path: "a.txt", oldText: lines, newText: "short" }, folder: "/work" },
    undefined,
  );
  await sleep(aMoment);
  expect(printed()).toMatch(/ {2}\/work\/a\.txt\n(.*\n)+ {2}- line 29\n {2}… 60 more lines\n {2}\+ short\n.*\[s\]how/);
  await type(`s${enter}`);
  expect(printed()).toMatch(/- line 89\n {2}\+ short\n/);
  await type(`y${enter}`);
  expect(await write).toBe("yes");
});

test("a line that ends in a backslash goes on in the next one, also when nobody asks, until it is dropped", async () => {
  const { input, type, asides } = somebody();
  await type(`one\\${enter}`);
  await type(`two${enter}`);
  expect(asides).toEqual(["one\ntwo"]);
  const line = input.line();
  await type(`secret draft\\${enter}`);
  await type("\u0003");
  await type(`hello${enter}`);
  expect(await line).toBe("hello");
});

test("nothing is drawn while nobody asks, and what was typed then is drawn with the next prompt", async () => {
  const { input, type, printed } = somebody();
  const first = input.line();
  await type(`go${enter}`);
  expect(await first).toBe("go");
  await sleep(aMoment);
  const before = printed();
  await type(`${"long ".repeat(40)}ab${backspace}`);
  expect(printed()).toBe(before);
  const second = input.line();
  await sleep(aMoment);
  expect(printed().slice(before.length)).toContain("long a");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that goes up
  expect(printed().slice(before.length)).not.toMatch(/\u001b\[\d*A/);
  await type(enter);
  expect(await second).toBe(`${"long ".repeat(40)}a`);
});

test("a paste stands in the line, whole, to be sent with Enter", async () => {
  const { input, type, printed } = somebody();
  const line = input.line();
  expect(printed()).toContain("\u001b[?2004h");
  await type("see: ");
  await type("\u001b[200~one\n\ttwo\n");
  await type("three\u001b[201~");
  await type(`!${enter}`);
  expect(await line).toBe("see: one\n\ttwo\nthree!");
  input.close();
  expect(printed()).toContain("\u001b[?2004l");
});

test("a draft is sent as it was, with its tabs and line breaks", async () => {
  const pieces = fc.constantFrom("\t", "\n", " ", "a", "  ");
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 8 }), async (parts) => {
      const { input, type } = somebody();
      const line = input.line({ draft: parts.join("") });
      await type(enter);
      expect(await line).toBe(parts.join(""));
    }),
    { numRuns: 12 },
  );
});
