import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { normalizePath } from "../../../src/session/cwd-spelling.ts";
import { isSameCwd } from "../../../src/storage/files/cwd.ts";
import {
  defaultStore,
  folderNameOf,
  projectFolder,
  sessionFileName,
} from "../../../src/storage/jsonl/project-folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("the folder is the last component, slugged, and the hash of the real path", () => {
  const real = join(temporaryFolder(), "My App_1.0");
  mkdirSync(real);
  const hash = createHash("sha256").update(real).digest("hex").slice(0, 12);
  expect(projectFolder(real)).toBe(`my-app-1-0-${hash}`);
  const link = join(temporaryFolder(), "elsewhere");
  symlinkSync(real, link);
  expect(projectFolder(link)).toBe(projectFolder(real));
  expect(projectFolder(`${real}/`)).toBe(projectFolder(real));
});

test("pi-11 PO-01 directories that differ in a slash or a dash have folders of their own", () => {
  const names = ["/w/a-b/c", "/w/a/b-c", "/w/a/b/c", "/w/a-b-c"].map((cwd) => projectFolder(cwd, "linux"));
  expect(new Set(names).size).toBe(4);
});

test("PO-02 directories in any script have folders of their own", () => {
  const cwds = ["/w/서울/app", "/w/부산/app", "/w/제주/app", "/w/서울", "/w/부산", "/w/제주"];
  const names = cwds.map((cwd) => projectFolder(cwd, "linux"));
  expect(new Set(names).size).toBe(6);
  for (const name of names) expect(name).toMatch(/^(app|project)-[0-9a-f]{12}$/);
});

test("PO-02 composed and decomposed spellings are one project", () => {
  expect(projectFolder("/w/café", "linux")).toBe(projectFolder("/w/cafe\u0301", "linux"));
  expect(isSameCwd("/w/café", "/w/cafe\u0301", "linux")).toBe(true);
});

test("PO-01 PO-04 any path gives a short name that every file system takes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.constantFrom("linux", "win32"), (path, platform) => {
      expect(folderNameOf(normalizePath(path, platform))).toMatch(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?-[0-9a-f]{12}$/);
    }),
  );
});

test("PO-04 PO-05 the spellings of one Windows directory are one", () => {
  const spellings = ["\\\\?\\C:\\w\\p", "C:\\w\\p", "c:/w/p", "c:\\w\\p\\", "C:\\\\w\\\\p", "\\\\.\\C:\\w\\p"];
  for (const platform of ["win32", "linux"]) {
    expect(new Set(spellings.map((path) => normalizePath(path, platform)))).toEqual(new Set(["C:\\w\\p"]));
  }
  expect(normalizePath("\\\\?\\UNC\\srv\\sh\\p", "win32")).toBe("\\\\srv\\sh\\p");
  expect(normalizePath("//srv/sh/p/", "win32")).toBe("\\\\srv\\sh\\p");
  expect(normalizePath("c:/", "win32")).toBe("C:\\");
});

test("MG-05 PO-05 a Windows directory is recognised whatever its spelling, on every platform", () => {
  for (const spelling of ["D:/w/p", "d:\\w\\p", "\\\\?\\D:\\w\\p", "D:\\W\\P"]) {
    expect(isSameCwd("D:\\w\\p", spelling, "linux")).toBe(true);
    expect(isSameCwd("D:\\w\\p", spelling, "win32")).toBe(true);
  }
  expect(isSameCwd("D:\\w\\p", "E:\\w\\p", "linux")).toBe(false);
});

test("PO-06 PO-07 a directory is the same through a link", () => {
  const real = temporaryFolder();
  const link = join(temporaryFolder(), "link");
  symlinkSync(real, link);
  expect(isSameCwd(link, real)).toBe(true);
  expect(isSameCwd(join(link, "gone"), join(real, "gone"))).toBe(true);
});

test("a directory that is no whole path is none but one spelled alike", () => {
  for (const platform of ["linux", "win32"]) {
    for (const cwd of ["", ".", "p", "./p/", "../p"]) {
      expect(isSameCwd(cwd, process.cwd(), platform)).toBe(false);
      expect(isSameCwd(cwd, join(process.cwd(), cwd), platform)).toBe(false);
      expect(isSameCwd(cwd, cwd, platform)).toBe(true);
    }
  }
});

test("pi-9 a file is named after time and id", () => {
  expect(sessionFileName({ id: "s1", timestamp: "2024-12-03T14:00:00.000Z" })).toBe(
    "2024-12-03T14-00-00-000Z_s1.jsonl",
  );
});

test("the store is in BOUGH_HOME, else in the home directory", () => {
  expect(defaultStore({ BOUGH_HOME: "/b" })).toBe(join("/b", "sessions"));
  expect(defaultStore({})).toBe(join(homedir(), ".bough", "sessions"));
});
