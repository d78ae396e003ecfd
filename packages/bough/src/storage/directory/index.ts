export { DirectoryLog, type DirectoryLogOptions } from "./directory-log.ts";
