/** Where a conversation stands: the id of an entry, or null before any. */
export type Leaf = string | null;
