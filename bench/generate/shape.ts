import type { ShapeName } from "./plan.ts";
import type { Wordsmith } from "./text.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface Place {
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

/** How a program writes sessions: ids, the order of keys, what hangs from what. */
export interface Shape {
  /** An id none of `taken`. */
  readonly newId: (smith: Wordsmith, time: number, taken: ReadonlySet<string>) => string;
  readonly record: (type: string, fields: Fields, place: Place) => Fields;
  /** Whether the next entry hangs from a label or a name as it would from a message. */
  readonly marksCarryChildren: boolean;
  readonly modelChange: (provider: string, modelId: string) => Fields;
  /** What a compaction holds besides its summary. */
  readonly compaction: (keptId: string, state: CompactedState) => Fields;
}

export interface CompactedState {
  readonly provider: string;
  readonly modelId: string;
  readonly thinkingLevel: string;
  readonly systemMessage: Fields;
}

/** Version 3 as pi writes it: eight hex digits, and the head of what extensions wrote at its end. */
const pi: Shape = {
  newId(smith, _, taken) {
    let id = smith.hex(8);
    while (taken.has(id)) id = smith.hex(8);
    return id;
  },
  record: (type, fields, { id, parentId, timestamp }) =>
    type === "custom" || type === "custom_message"
      ? { type, ...fields, id, parentId, timestamp }
      : { type, id, parentId, timestamp, ...fields },
  marksCarryChildren: true,
  modelChange: (provider, modelId) => ({ provider, modelId }),
  compaction: (firstKeptEntryId, { systemMessage }) => ({ firstKeptEntryId, systemMessage }),
};

/** bough's own: UUIDs of version 7, the head first, marks beside the conversation, a compaction with the state in force. */
const bough: Shape = {
  newId(smith, time) {
    const head = time.toString(16).padStart(12, "0");
    return `${head.slice(0, 8)}-${head.slice(8)}-7${smith.hex(3)}-8${smith.hex(3)}-${smith.hex(12)}`;
  },
  record: (type, fields, { id, parentId, timestamp }) => ({ type, id, parentId, timestamp, ...fields }),
  marksCarryChildren: false,
  modelChange: (provider, modelId) => ({ provider, modelId, model: `${provider}/${modelId}` }),
  compaction: (firstKeptEntryId, { provider, modelId, thinkingLevel }) => ({
    firstKeptEntryId,
    state: { model: { provider, modelId }, thinkingLevel, activeToolNames: null, injectedRules: [] },
  }),
};

export const shapes: Readonly<Record<ShapeName, Shape>> = { pi, bough };
