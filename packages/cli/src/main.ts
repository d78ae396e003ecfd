import { asksForOverview, printOverview } from "./overview.ts";

const args = process.argv.slice(2);

if (asksForOverview(args)) printOverview();
else {
  const [{ run }, { processCli }] = await Promise.all([import("./program.ts"), import("./cli.ts")]);
  process.exitCode = await run(args, processCli());
}
