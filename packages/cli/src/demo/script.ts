import { type FauxResponseStep, fauxAssistantMessage, fauxText, fauxToolCall } from "@earendil-works/pi-ai";

/** What the user says, in order of use. */
export const said = {
  opening: "Some events never arrive, about one in 75. Can you find out why?",
  steer: "The receiver isn't ours, so leave it out. And no new services, please.",
  loop: "Just try again a few times.",
  queue: "Then keep what failed, and try it again later.",
  log: "How many events does the log say were lost? Read it to be sure.",
  deploy: "Deploy it: run `echo deploying > deploy.log; sleep 3; echo deployed >> deploy.log`",
} as const;

export const check = "node check.mjs";

function calls(words: string, ...wanted: readonly (readonly [string, object])[]): FauxResponseStep {
  const blocks = wanted.map(([name, args]) => fauxToolCall(name, args as never));
  return fauxAssistantMessage([fauxText(words), ...blocks], { stopReason: "toolUse" });
}

const says = (words: string): FauxResponseStep => fauxAssistantMessage(words);

/** What the scripted model answers, request by request; the tools it calls really run. */
export const script: readonly FauxResponseStep[] = [
  calls(
    "I'll read the code, and see whether the check finds it.",
    ["read", { path: "deliver.mjs" }],
    ["bash", { command: check }],
  ),
  says(
    "Found it: when the receiver is down, `deliver` gives up at once and the event is gone. The fault is on our side.",
  ),

  calls(
    "Three attempts, then.",
    [
      "edit",
      {
        path: "deliver.mjs",
        oldText: "  try {\n    await send(event);\n  } catch",
        newText: "  try {\n    await send(event).catch(() => send(event)).catch(() => send(event));\n  } catch",
      },
    ],
    ["bash", { command: check }],
  ),
  says(
    "That isn't enough: the receiver is down for longer than three attempts take, and waiting would block all others.",
  ),

  calls(
    "Failed events are kept and tried again, later each time.",
    ["write", { path: "deliver.mjs", content: withQueue() }],
    ["bash", { command: check }],
  ),
  says("Done: an event that fails is kept and tried again, after 10 ms, 20 ms, 40 ms, and the check passes."),

  calls("I count, one half after the other.", ["read", { path: "deliveries.log", limit: 350 }]),
  calls("Five so far: 1041, 1116, 1191, 1266 and 1341.", ["read", { path: "deliveries.log", offset: 351 }]),
  says("Nine of 700: four more in the second half, 1416, 1491, 1566 and 1641. All timed out."),
];

/** What it answers after the crash. */
export const scriptAfterCrash: readonly FauxResponseStep[] = [
  calls("I don't know whether that went through, so I look before I do it again.", ["read", { path: "deploy.log" }]),
  says("It did go through: the log ends in *deployed*. Nothing has to be done again."),
];

function withQueue(): string {
  return `/** Sends an event to whoever wants to hear of it, again and again until it arrives. */
export async function deliver(event, send, wait = 10) {
  try {
    await send(event);
  } catch (error) {
    console.warn(\`event \${event.id}: \${error.message}, again in \${wait} ms\`);
    setTimeout(() => deliver(event, send, Math.min(wait * 2, 60_000)), wait);
  }
}
`;
}
