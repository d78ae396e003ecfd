import type { EntryHead, ReadUse, Session, SessionTreeEntry } from "bough";

const batchSize = 256;

/** Heads with their bodies, in the order given, a batch at a time. */
export async function* bodiesOf(
  session: Session,
  heads: readonly EntryHead[],
  use: ReadUse,
): AsyncGenerator<readonly [EntryHead, SessionTreeEntry]> {
  const { state } = session.storage.host;
  for (let start = 0; start < heads.length; start += batchSize) {
    const batch = heads.slice(start, start + batchSize);
    const entries = await session.storage.read(state.entries(batch, use));
    for (const [index, head] of batch.entries()) yield [head, entries[index] as SessionTreeEntry];
  }
}
