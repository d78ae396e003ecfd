import { createModels } from "@earendil-works/pi-ai";
import { isBoughError } from "bough";
import { MemoryRepo } from "bough/memory";
import { type Extension, ExtensionHost } from "../../src/index.ts";

/** Extensions that leave failures behind; then, with an argument, the program itself does. */
const stray: Extension = (api) => {
  setTimeout(() => {
    throw new Error("timer");
  }, 1);
  api.registerCommand("go", {
    handler: () => {
      void Promise.reject(new Error("promise"));
      void api.setLabel("nowhere").then(() => undefined);
    },
  });
  api.on("session_start", () => {
    setTimeout(async () => {
      throw new Error("later");
    }, 5);
  });
};
const nameOf = (error: unknown) => (isBoughError(error) ? error.code : (error as Error).message);
const failures: string[] = [];
const host = await ExtensionHost.open({
  session: await new MemoryRepo().create(),
  extensions: [{ name: "stray", extension: stray }],
  harness: { models: createModels() },
  onFailure: ({ during, error }) => void failures.push(`${during}: ${nameOf(error.cause)}`),
});
await host.runCommand("go");
await new Promise((resolve) => setTimeout(resolve, 50));
console.log(JSON.stringify(failures.sort()));
if (process.argv[2] === "rejects") void Promise.reject(new Error("the program's own"));
if (process.argv[2] === "throws") {
  setTimeout(() => {
    throw new Error("the program's own");
  }, 1);
}
await new Promise((resolve) => setTimeout(resolve, 50));
await host.close();
console.log("closed");
