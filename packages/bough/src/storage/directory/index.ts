export type { FileSystem } from "../files/file-system.ts";
export { DirectoryLog, type DirectoryLogOptions } from "./directory-log.ts";
export { DirectoryRepo, DirectoryStorage } from "./directory-storage.ts";
export { DirectoryStore, type DirectoryStoreOptions } from "./directory-store.ts";
