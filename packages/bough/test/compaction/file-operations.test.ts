import { expect, test } from "vitest";
import { withFileLists, withoutFileLists } from "../../src/compaction/file-operations.ts";

const files = { readFiles: ["a.ts", "b.ts"], modifiedFiles: ["c.ts"] };

test("lists of files stand below a summary and can be taken off it again, however often they were put there", () => {
  const summary = "## Goal\n\nread <read-files>\nof old\n";
  const listed = withFileLists(summary, files);
  expect(listed).toBe(
    `${summary.trimEnd()}\n\n<read-files>\na.ts\nb.ts\n</read-files>\n\n<modified-files>\nc.ts\n</modified-files>`,
  );
  expect(withoutFileLists(listed)).toBe(summary.trimEnd());
  expect(withoutFileLists(withFileLists(listed, files))).toBe(summary.trimEnd());
  expect(withoutFileLists(summary)).toBe(summary);
});

test("without files there are no lists, and long ones end in a count", () => {
  expect(withFileLists("S", { readFiles: [], modifiedFiles: [] })).toBe("S");
  const many = Array.from({ length: 1000 }, (_, index) => `src/${index}.ts`);
  expect(withFileLists("S", { readFiles: [], modifiedFiles: many })).toMatch(/\n\(and \d+ more\)\n<\/modified-files>$/);
});

test("taking lists off a hostile text costs its length", () => {
  const hostile = `${"<read-files>\n".repeat(50_000)}${" ".repeat(200_000)}`;
  expect(withoutFileLists(hostile)).toBe(hostile);
});
