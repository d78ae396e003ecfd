/** A long conversation is cut back to a summary and its last turn. Nothing of it is lost: going back shows all of it. */
import { assistant, compact, contextTokens, isBoughError, user } from "bough";
import { MemoryRepo } from "bough/memory";

const session = await new MemoryRepo().create();
await session.appendMessage(user("Find out why the build is slow. Don't touch the tests."));
for (let step = 1; step <= 200; step++) {
  await session.appendMessage(assistant(`Step ${step}: measured another part of the build, and it was fast enough.`));
}
await session.appendMessage(assistant("It was the linter. We decided to run it once instead of per package."));
const last = await session.appendMessage(user("Thanks. What is left to do?"));
const before = contextTokens(await session.getActivePath()).tokens;

const { entry } = await compact(session, { keep: { turns: 1 } });
const { messages } = await session.buildContext();
console.log(messages.map((message) => message.role).join(" "));
console.log(entry.summary.includes("run it once instead of per package"));
console.log((entry.tokensAfter ?? before) < before / 5);

await session.moveTo(last);
console.log((await session.buildContext()).messages.length);

const silent = async () => ({ content: "" });
await compact(session, { keep: { turns: 1 }, summarizer: silent }).catch((error) => {
  if (isBoughError(error, "compaction")) console.log(error.details.reason);
});
