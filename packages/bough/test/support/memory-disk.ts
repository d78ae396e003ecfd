import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const place = "/dev/shm";
const tmpfsMagic = 0x01021994;

/** Whether there is a file system in memory here, where a killed process leaves half of a write behind. */
export const hasMemoryDisk = isMemoryDisk(place);

/** An empty folder on it that is gone after the test. */
export function memoryFolder(): string {
  const folder = mkdtempSync(join(place, "bough-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function isMemoryDisk(path: string): boolean {
  try {
    return statfsSync(path).type === tmpfsMagic;
  } catch {
    return false;
  }
}
