/** Two attempts at one question, side by side in one session; the better one is gone on with. */
import { assistant, user } from "bough";
import { MemoryRepo } from "bough/memory";
import { describeEntry } from "bough/outline";

const session = await new MemoryRepo().create();
const question = await session.appendMessage(user("Name a prime between 20 and 30."));

const attempts = [session.at(question), session.at(question)];
const answers = ["21", "23"];
await Promise.all(attempts.map((attempt, index) => attempt.appendMessage(assistant(answers[index] as string))));

for (const branch of await session.branches()) console.log(branch.length, describeEntry(branch.entry));

const better = attempts[1] as typeof session;
await session.moveTo(better.leafId);
await session.appendMessage(user("And the next one?"));

const { messages } = await session.buildContext();
console.log(messages.map((message) => message.role).join(" "));
