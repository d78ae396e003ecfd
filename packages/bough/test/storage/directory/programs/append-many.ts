import { DirectoryLog } from "../../../../src/storage/directory/index.ts";
import { chain } from "../../../../src/testing/log-case.ts";

/** Appends so many entries to the session of a path, one by one, and prints the id of each that is stored. */
const [path = "", prefix = "", count = "0"] = process.argv.slice(2);
const log = DirectoryLog.open(path, { durability: "process" });
log.changes();
for (let index = 0; index < Number(count); index++) {
  const id = `${prefix}${index}`;
  const { outcomes } = log.append([chain([id])]);
  if (outcomes[0]?.status === "stored") console.log(id);
}
log.close();
