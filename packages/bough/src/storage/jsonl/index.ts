export type { Durability, JsonlLogOptions } from "./jsonl-log.ts";
export { JsonlLog } from "./jsonl-log.ts";
export type { Lease, LeaseRequest } from "./lease.ts";
export { acquireLease, tryAcquireLease } from "./lease.ts";
export type { Migration } from "./migrate.ts";
export { migrateFile } from "./migrate.ts";
export type { Repair, RepairChange } from "./repair.ts";
export { repairFile } from "./repair.ts";
