export * from "../../src/index.ts";
export * from "../../src/storage/memory/index.ts";
