export { MemoryLog } from "./memory-log.ts";
export { MemoryRecords } from "./memory-records.ts";
export { MemoryRepo, MemoryStorage } from "./memory-storage.ts";
export { MemoryStore } from "./memory-store.ts";
