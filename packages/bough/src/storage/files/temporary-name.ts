import { nodeCrypto } from "./node-modules.ts";

/** No other file has it, and whoever lists sessions passes over it. */
export function temporaryName(): string {
  return `.tmp-${nodeCrypto().randomBytes(16).toString("hex")}`;
}
