/**
 * `node drive-manager.mjs MODULE FOLDER`: drives the SessionManager that MODULE exports as programs for pi do, in FOLDER,
 * and prints what such programs see.
 */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, folder] = process.argv.slice(2);
const { SessionManager } = await import(pathToFileURL(module).href);
const usage = {
  input: 1,
  output: 2,
  cacheRead: 3,
  cacheWrite: 4,
  totalTokens: 10,
  cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
};
const user = (content) => ({ role: "user", content, timestamp: 1 });
const assistant = (text) => ({
  role: "assistant",
  content: [{ type: "text", text }],
  api: "a",
  provider: "p",
  model: "m",
  usage,
  stopReason: "stop",
  timestamp: 2,
});

const seen = [];
const marks = new Set(["label", "session_info", "leaf", "usage"]);
const names = new Map();

/** Ids as the names their entries were given here. */
const named = (id) => names.get(id) ?? id;
const remember = (name, id) => {
  names.set(id, name);
  return id;
};

function look(manager, step) {
  const { messages, model, thinkingLevel } = manager.buildSessionContext();
  const path = manager.getBranch().filter(({ type }) => !marks.has(type));
  seen.push({
    step,
    messages: messages.map(({ timestamp, ...message }) => {
      return message.fromId === undefined ? message : { ...message, fromId: named(message.fromId) };
    }),
    model,
    thinkingLevel,
    path: path.map(({ id, type }) => `${type} ${named(id)}`),
    contextEntries: manager
      .buildContextEntries()
      .filter(({ type }) => !marks.has(type))
      .map(({ id }) => named(id)),
    entries: manager.getEntries().filter(({ type }) => !marks.has(type)).length,
    name: manager.getSessionName() ?? null,
    labels: [...names].flatMap(([id, name]) => (manager.getLabel(id) ? [`${name}: ${manager.getLabel(id)}`] : [])),
    roots: manager.getTree().filter(({ entry }) => !marks.has(entry.type)).length,
    isStored: existsSync(manager.getSessionFile() ?? ""),
    isPersisted: manager.isPersisted(),
    cwd: manager.getCwd(),
    folder: manager.getSessionDir() === folder,
    parent: manager.getHeader().parentSession !== undefined,
  });
}

function drive(manager, where) {
  const step = (name) => look(manager, `${where}: ${name}`);
  const add = (name, id) => remember(name, id);
  step("new");
  add("model", manager.appendModelChange("p", "m0"));
  add("level", manager.appendThinkingLevelChange("high"));
  add("note", manager.appendCustomEntry("note", { n: 1 }));
  step("set up");
  const u1 = add("u1", manager.appendMessage(user("one")));
  const a1 = add("a1", manager.appendMessage(assistant("two")));
  const u2 = add("u2", manager.appendMessage(user("three")));
  add("aside", manager.appendCustomMessageEntry("aside", "psst", false, { n: 1 }));
  const a2 = add("a2", manager.appendMessage(assistant("four")));
  step("talked");
  manager.appendLabelChange(u1, "start");
  manager.appendLabelChange(a1, "wrong");
  manager.appendLabelChange(a1, undefined);
  manager.appendSessionInfo(" my\nname ");
  manager.appendUsage("warm", "p", "m", usage, "note");
  step("marked");
  manager.branch(a1);
  step("moved");
  const u3 = add("u3", manager.appendMessage(user("five")));
  step("branched");
  add("summary", manager.branchWithSummary(u2, "left five", { readFiles: [], modifiedFiles: [] }, true, usage));
  step("summarised");
  const u4 = add("u4", manager.appendMessage(user("six")));
  add("edit", manager.appendContextEdit(u2, { content: "THREE" }));
  step("edited");
  add("kept", manager.appendCompaction("so far", u4, 100, { readFiles: [], modifiedFiles: [] }, false, usage));
  add("a3", manager.appendMessage(assistant("seven")));
  step("compacted");
  add("bare", manager.appendCompaction("all of it", null, 100));
  step("compacted to nothing");
  manager.resetLeaf();
  add("root", manager.appendMessage(user("eight")));
  step("anew");
  for (const wrong of [
    () => manager.branch("nowhere"),
    () => manager.branchWithSummary("nowhere", "x"),
    () => manager.appendLabelChange("nowhere", "x"),
    () => manager.createBranchedSession("nowhere"),
    () => manager.appendContextEdit(u3, null),
  ]) {
    let refused = false;
    try {
      wrong();
    } catch {
      refused = true;
    }
    seen.push({ refused });
  }
  step("refused");
  seen.push({ path: manager.getBranch("nowhere").length, entry: manager.getEntry("nowhere") ?? null });
  const path = manager.createBranchedSession(a2);
  seen.push({ isPath: typeof path });
  step("branched off");
  add("u5", manager.appendMessage(user("nine")));
  step("went on");
  manager.newSession({ id: "another" });
  seen.push({ id: manager.getSessionId() });
  step("began again");
  return path;
}

drive(SessionManager.inMemory("/w"), "in memory");
names.clear();
const path = drive(SessionManager.create("/w", folder), "in files");
look(SessionManager.open(path), "opened");
look(SessionManager.forkFrom(path, "/elsewhere", folder), "forked");
const listed = await SessionManager.list("/w", folder);
seen.push({ listed: listed.map(({ messageCount, firstMessage, name }) => ({ messageCount, firstMessage, name })) });
seen.push({ isFound: SessionManager.findById("/w", listed[0].id, folder) === listed[0].path });
process.stdout.write(JSON.stringify(seen, null, 1));
