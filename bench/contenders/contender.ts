import type { Message } from "../messages.ts";

/**
 * A session engine as the questions know it: a thin skin that adds no work of its own. Reads and appends of an engine
 * that is synchronous return what they return, so that nobody pays for promises he doesn't use.
 */
export interface Contender {
  open(file: string, place: Place): Awaitable<OpenSession>;
  create(place: Place): Awaitable<OpenSession>;
  /** A copy of the whole session in a file of its own; answers with its path. */
  copy?(file: string, place: Place): Awaitable<string>;
  /** All sessions below a folder. */
  list?(folder: string): Awaitable<readonly ListedSession[]>;
  /** In how many places of a folder's sessions a phrase stands, from nothing but the files, as far as one page goes. */
  search?(folder: string, phrase: string): Awaitable<number>;
  /** Makes or finds the catalog of a folder in `file`, filled; answers with how to open it anew. */
  catalog?(folder: string, file: string): Promise<() => CatalogView>;
}

/** What finds sessions answers with how many it found. */
export interface CatalogView {
  /** Takes in what changed. */
  update(): Promise<void>;
  /** Every session, as of now. */
  all(): Promise<number>;
  page(limit: number): Promise<number>;
  /** The same, as of now. */
  currentPage(limit: number): Promise<number>;
  search(phrase: string): Promise<number>;
}

export interface OpenSession {
  context(): Awaitable<Context>;
  /** The whole session as nodes that hold their entries. */
  tree?(): Awaitable<readonly TreeNode[]>;
  /** Visits every entry, its place and its label, as a view of the tree does; answers with how many. */
  walk?(visit: Visitor): Awaitable<number>;
  /** Reads all there is and says what is wrong with it; answers with how much is. */
  check?(): Awaitable<number>;
  append(message: Message): Awaitable<unknown>;
  /** A session of the path to the leaf; answers with its file. */
  fork?(): Awaitable<string>;
  close?(): Awaitable<unknown>;
}

export type Awaitable<T> = T | Promise<T>;

export type Visitor = (id: string, parentId: string | null, label: string | undefined) => void;

/** Where a session's files go, and what its appends survive; who can't choose has `process`. */
export interface Place {
  readonly folder: string;
  readonly durability?: "process" | "power";
}

export interface Context {
  readonly messages: readonly unknown[];
  readonly thinkingLevel: string;
  readonly model: { readonly provider: string; readonly modelId: string } | null;
}

/** The context of a session, with what every contender says in it: some look for it only when it is read. */
export function contextOf(session: OpenSession): Awaitable<Context> {
  const context = session.context();
  return context instanceof Promise ? context.then(said) : said(context);
}

function said({ messages, thinkingLevel, model }: Context): Context {
  return { messages, thinkingLevel, model };
}

export interface TreeNode {
  readonly entry: { readonly id: string };
  readonly children: readonly TreeNode[];
  readonly label?: string;
}

export interface ListedSession {
  readonly path: string;
  readonly id: string;
  readonly cwd: string;
  readonly name?: string;
  readonly firstMessage: string;
  readonly messageCount: number;
  readonly created: Date;
  readonly modified: Date;
  /** What everybody said, where a list holds it. */
  readonly allMessagesText?: string;
}

/** Visits nodes without recursion. */
export function visitNodes(roots: readonly TreeNode[], visit: Visitor): number {
  const open: { readonly node: TreeNode; readonly parentId: string | null }[] = [];
  for (const node of roots) open.push({ node, parentId: null });
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { id } = next.node.entry;
    visit(id, next.parentId, next.node.label);
    for (const node of next.node.children) open.push({ node, parentId: id });
    count++;
  }
  return count;
}
