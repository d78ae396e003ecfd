import { dirname } from "node:path";
import type { SessionHeader } from "../../entry/header.ts";
import { encodeHeader } from "../../format/encode.ts";
import type { RecordSource } from "../../session/session-store.ts";
import { storageError } from "../files/file-errors.ts";
import { makeDirectory, type PublishOptions, syncDirectory } from "../files/publish.ts";
import { TemporaryCopy } from "./temporary-copy.ts";
import { lineOf } from "./written-line.ts";

/**
 * Creates a session's file, which nobody sees before it is complete. Records are written as they come; what their source
 * throws is passed on as it is. Throws `already_exists`.
 */
export async function publishSession(
  path: string,
  header: SessionHeader,
  records: RecordSource,
  options: PublishOptions,
): Promise<void> {
  const first = lineOf(encodeHeader(header));
  const copy = attempt(path, () => {
    makeDirectory(dirname(path), options);
    return new TemporaryCopy(dirname(path), options.fileSystem);
  });
  try {
    attempt(path, () => copy.append(first));
    for await (const batch of records) attempt(path, () => copy.write(batch.map(({ json }) => lineOf(json))));
    attempt(path, () => finish(path, copy, options));
  } finally {
    copy.close();
  }
}

function finish(path: string, copy: TemporaryCopy, { fileSystem, sync }: PublishOptions): void {
  if (sync) copy.sync();
  copy.publish(path);
  if (sync) syncDirectory(dirname(path), fileSystem);
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageError(error, { operation: "create", path });
  }
}
