/*
 * The catalog's tables. What every update looks at is in `session`, apart from what only some sessions are asked for. Text
 * is kept once, as it was written, in `entry.text`, without the label, which comes and goes.
 * The full-text index keeps none: it knows which entries hold which three characters, not where (`detail=none`), and what
 * it names is compared with the text. Measured on 30 MB of sessions with 17 MB of text, that is 7 MB of index; with places
 * it is 48 MB, and an index that has its own copy of the text, or of folded text, would double the 20 MB of the text.
 * Of a phrase of common words every three may be in every entry; a second index, `phrases`, knows which entries hold which
 * joins of words (`wordJoins`).
 * As neither keeps text, they must not need any to forget an entry: hence `contentless_delete`. What is forgotten is
 * marked; to merge pieces of the index as soon as a tenth of one is, as is usual, costs four times what indexing did.
 *
 * Only of a source that is in `filled` all sessions were taken in, once at least.
 *
 * How the entries of a session hang together is told from `entry_place` alone: the rows are as long as the texts in them.
 *
 * Indexing costs several times what reading does, and lists don't need it: it comes after, in the order of keys, which are
 * never used again. Entries up to `indexed.key` are in the index.
 */
export const schemaVersion = 5;

export const schema = `
CREATE TABLE session (
  key INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  place TEXT NOT NULL,
  stamp TEXT,
  mark TEXT,
  generation INTEGER NOT NULL,
  error TEXT,
  id TEXT,
  cwd TEXT,
  name TEXT,
  models TEXT,
  created INTEGER,
  modified INTEGER,
  UNIQUE (source, place)
);
CREATE TABLE filled (source TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX session_recent ON session (modified, id, key);
CREATE INDEX session_unreadable ON session (source) WHERE error IS NOT NULL;
CREATE TABLE detail (
  session INTEGER PRIMARY KEY,
  state TEXT NOT NULL,
  info TEXT NOT NULL
);
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
CREATE INDEX entry_place ON entry (session, id, parent, type);
CREATE TABLE indexed (key INTEGER NOT NULL);
INSERT INTO indexed VALUES (0);
CREATE VIRTUAL TABLE found USING fts5(
  text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE phrases USING fts5(
  text, content='', contentless_delete=1, detail=none, tokenize='ascii'
);
INSERT INTO found (found, rank) VALUES ('deletemerge', 50);
INSERT INTO phrases (phrases, rank) VALUES ('deletemerge', 50);
`;
