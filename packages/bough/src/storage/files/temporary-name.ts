import { fillRandom } from "./system-random.ts";

/** No other file has it, and whoever lists sessions passes over it. */
export function temporaryName(): string {
  const bytes = Buffer.alloc(16);
  fillRandom(bytes);
  return `.tmp-${bytes.toString("hex")}`;
}
