export type { Durability, JsonlLogOptions } from "./jsonl-log.ts";
export { JsonlLog } from "./jsonl-log.ts";
