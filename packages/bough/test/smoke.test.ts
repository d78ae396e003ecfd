import { expect, test } from "vitest";
import { SessionTree } from "../src/tree/session-tree.ts";

test("a mark does not move the leaf", () => {
  const tree = new SessionTree();
  tree.add({ position: 0, id: "u1", parentId: null, type: "message", timestamp: "", role: "user" });
  tree.add({ position: 1, id: "l1", parentId: "u1", type: "label", timestamp: "", targetId: "u1", text: "x" });
  expect(tree.leaf).toBe("u1");
});
