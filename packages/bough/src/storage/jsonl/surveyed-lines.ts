import type { EntryHead } from "../../entry/head.ts";
import type { Chain } from "../../session/entry-log.ts";
import type { BlockContent, BlockReader } from "./block-reader.ts";
import type { LinesBefore } from "./lines-before.ts";

export interface SurveyedLines {
  /** By the id of each record. */
  readonly chainOf: ReadonlyMap<string, Chain>;
  /** In file order. */
  readonly chains: readonly Chain[];
}

/** The ids of lines and how they hang together; most of their heads are let go at once. Undefined if an id is repeated. */
export function surveyed(lines: LinesBefore, reader: BlockReader): SurveyedLines | undefined {
  const chainOf = new Map<string, Chain>();
  let count = 0;
  const blocks: (readonly Chain[])[] = [];
  for (let block = lines.next(); block; block = lines.next()) {
    const content = reader.fronts(block);
    blocks.push(chainsOf(content, chainOf));
    count += content.heads.length;
  }
  return chainOf.size < count ? undefined : { chainOf, chains: blocks.reverse().flat() };
}

function chainsOf({ heads, lengths }: BlockContent, chainOf: Map<string, Chain>): Chain[] {
  const chains: { -readonly [Key in keyof Chain]: Chain[Key] }[] = [];
  for (let index = 0; index < heads.length; index++) {
    const head = heads.at(index);
    const end = head.position + (lengths[index] as number) + 1;
    let chain = chains.at(-1);
    if (chain && areChained(chain, head)) {
      chain.end = end;
      chain.count++;
      chain.lastId = head.id;
    } else {
      chain = { head, headEnd: end, end, count: 1, lastId: head.id };
      chains.push(chain);
    }
    chainOf.set(head.id, chain);
  }
  return chains;
}

function areChained({ head, end, lastId }: Chain, next: EntryHead): boolean {
  return head.type === "message" && next.type === "message" && next.parentId === lastId && next.position === end;
}
