import { parentPort, workerData } from "node:worker_threads";

/** Tries patterns on texts, away from the thread that must not hang when one of them takes for ever. */

const { wanted, unwanted } = workerData as { readonly wanted: readonly RegExp[]; readonly unwanted: readonly RegExp[] };

parentPort?.on("message", (texts: readonly string[]) => parentPort?.postMessage(texts.map(placeIn)));

/** Of the first of the wanted patterns, if all of them fit and no unwanted one does. */
function placeIn(text: string): { readonly start: number; readonly end: number } | undefined {
  if (unwanted.some((pattern) => pattern.test(text))) return undefined;
  const found = wanted.map((pattern) => pattern.exec(text));
  if (found.includes(null)) return undefined;
  const first = found[0];
  return first ? { start: first.index, end: first.index + first[0].length } : { start: 0, end: 0 };
}
