import { nodeFileSystem } from "../../../../src/storage/files/file-system.ts";
import { migrateFile } from "../../../../src/storage/jsonl/migrate.ts";
import { beforeEachCall } from "../../../support/failing-file-system.ts";

const [file, fatalCall] = process.argv.slice(2) as [string, string];
const fileSystem = beforeEachCall(nodeFileSystem, (_name, number) => {
  if (number === Number(fatalCall)) process.kill(process.pid, "SIGKILL");
});
migrateFile(file, fileSystem);
