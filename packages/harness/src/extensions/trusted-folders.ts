import { randomUUID } from "node:crypto";
import { mkdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export type TrustDecision = "trusted" | "refused";

interface Decision {
  readonly decision: TrustDecision;
  /** ISO 8601. */
  readonly decidedAt: string;
}

/**
 * Which project folders the user trusts to bring extensions, as data in bough's home: `trusted-folders.json`. A folder
 * is its real path. What can't be read decides nothing.
 */
export class TrustedFolders {
  readonly #file: string;

  constructor(home: string) {
    this.#file = join(home, "trusted-folders.json");
  }

  async decisionOn(folder: string): Promise<TrustDecision | undefined> {
    const stored = decisionsIn(await this.#text()) ?? {};
    const decision = stored[await realpath(folder)]?.decision;
    return decision === "trusted" || decision === "refused" ? decision : undefined;
  }

  /** The file is replaced as a whole; one that can't be read stays beside it. */
  async decide(folder: string, decision: TrustDecision): Promise<void> {
    const place = dirname(this.#file);
    await mkdir(place, { recursive: true, mode: 0o700 });
    const text = await this.#text();
    const stored = decisionsIn(text);
    if (stored === undefined) await writeFile(`${this.#file}.damaged-${randomUUID()}`, text, { mode: 0o600 });
    const decidedAt = new Date().toISOString();
    const folders = { ...stored, [await realpath(folder)]: { decision, decidedAt } };
    const temporary = join(place, `.tmp-${randomUUID()}`);
    await writeFile(temporary, `${JSON.stringify({ folders }, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(temporary, this.#file);
  }

  /** Empty if there is no file. */
  async #text(): Promise<string> {
    try {
      return await readFile(this.#file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
      throw error;
    }
  }
}

/** Undefined where the text is damaged. */
function decisionsIn(text: string): Readonly<Record<string, Decision | undefined>> | undefined {
  if (text === "") return {};
  try {
    const { folders } = JSON.parse(text) as { readonly folders?: unknown };
    return Object.assign(Object.create(null), folders);
  } catch {
    return undefined;
  }
}
