export { MemoryLog } from "./memory-log.ts";
export { MemoryRecords } from "./memory-records.ts";
