/*
 * The catalog's tables. Text is kept once, as it was written, in `entry.text`, without the label, which comes and goes.
 * The full-text index keeps none: it knows which entries hold which three characters, not where (`detail=none`), and what
 * it names is compared with the text. Measured on 30 MB of sessions with 17 MB of text, that is 7 MB of index; with places
 * it is 48 MB, and an index that has its own copy of the text, or of folded text, would double the 20 MB of the text.
 * Since it keeps no text it must not need any to forget an entry: hence `contentless_delete`.
 *
 * Indexing costs several times what reading does, and lists don't need it: it comes after, in the order of keys, which are
 * never used again. Entries up to `indexed.key` are in the index.
 */
export const schemaVersion = 1;

export const schema = `
CREATE TABLE session (
  key INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  place TEXT NOT NULL,
  stamp TEXT,
  mark TEXT,
  generation INTEGER NOT NULL,
  header TEXT,
  state TEXT,
  error TEXT,
  id TEXT,
  cwd TEXT,
  name TEXT,
  models TEXT,
  created INTEGER,
  modified INTEGER,
  info TEXT,
  UNIQUE (source, place)
);
CREATE INDEX session_recent ON session (modified, id, key);
CREATE TABLE entry (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL,
  id TEXT NOT NULL,
  parent TEXT,
  type TEXT NOT NULL,
  time TEXT NOT NULL,
  role TEXT,
  tools TEXT,
  label TEXT,
  rest TEXT,
  text TEXT,
  UNIQUE (session, id)
);
CREATE TABLE indexed (key INTEGER NOT NULL);
INSERT INTO indexed VALUES (0);
CREATE VIRTUAL TABLE found USING fts5(
  text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
);
`;
