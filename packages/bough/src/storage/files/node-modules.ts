/**
 * Node's modules, without what importing them brings along: of `node:fs` an import makes Node load streams and promises
 * too, which costs a process more than opening a session does.
 */
export const nodeFs = process.getBuiltinModule("node:fs");

/** Loaded when it is first needed. Opening a session and reading it never does. */
export function nodeCrypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

/** As `nodeCrypto`. */
export function nodeNet(): typeof import("node:net") {
  return process.getBuiltinModule("node:net");
}
