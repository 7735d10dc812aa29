-- The step from format 2 to 3, as it was: notes, exchanges and uses stay, memories are added.
ALTER TABLE workspace ADD COLUMN key TEXT NOT NULL DEFAULT '';
UPDATE workspace SET key = 'w_' || lower(hex(randomblob(8)));
CREATE UNIQUE INDEX workspace_key ON workspace (key);
ALTER TABLE evidence RENAME TO note_evidence;

-- What the memory states. Rows never change: a change is a new row with a link, a purge removes the row whole.
-- Status is the view item_status; times are Unix milliseconds.
CREATE TABLE item (
    row           INTEGER PRIMARY KEY,         -- of this file alone; nothing else names a memory by it
    id            TEXT    NOT NULL UNIQUE,     -- UUIDv7: time and randomness, nothing of the text
    handle        TEXT    NOT NULL UNIQUE,     -- m_ and 8 letters, random
    kind          TEXT    NOT NULL,            -- decision, preference, …: an open set
    scope         TEXT    NOT NULL,            -- global, or workspace.key
    text          TEXT    NOT NULL,
    subject       TEXT    NOT NULL,            -- normalized; empty where the text states no slot
    attribute     TEXT    NOT NULL,
    value         TEXT    NOT NULL,
    origin        TEXT    NOT NULL,            -- user, agent, imported
    importance    INTEGER NOT NULL,            -- 0..100
    confidence    INTEGER NOT NULL,            -- 0..100
    valid_from    INTEGER NOT NULL,            -- in the world
    valid_to      INTEGER,
    salt          TEXT    NOT NULL,            -- random, so that no hash in the log can be guessed after a purge
    text_key      BLOB    NOT NULL,            -- hash of the normalized words
    template_key  BLOB    NOT NULL,            -- hash of the words without numbers and names
    tx_from       INTEGER NOT NULL             -- op.seq that wrote it
) STRICT;
CREATE INDEX item_text ON item (text_key);
CREATE INDEX item_template ON item (template_key);
CREATE INDEX item_slot ON item (subject, attribute);
CREATE INDEX item_value ON item (value) WHERE value <> '';
CREATE INDEX item_scope ON item (scope, kind);

-- Who said it and how it was worded (path is empty), or the lines of code that it cites. Only added to.
CREATE TABLE evidence (
    row           INTEGER PRIMARY KEY,
    id            TEXT    NOT NULL UNIQUE,
    item_id       TEXT    NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    text          TEXT    NOT NULL,
    actor         TEXT    NOT NULL,
    extractor     TEXT    NOT NULL,
    session       TEXT    NOT NULL,
    at            INTEGER NOT NULL,
    scope         TEXT    NOT NULL,            -- workspace.key of the path
    path          TEXT    NOT NULL,            -- from the workspace's root, as in source_id
    start_line    INTEGER NOT NULL,
    end_line      INTEGER NOT NULL,
    span_hash     TEXT    NOT NULL,            -- first 16 hex of SHA-256 of the masked lines
    layout_hash   TEXT    NOT NULL,            -- the same of the lines without their spacing
    content_hash  TEXT    NOT NULL,            -- of the whole file as it was read
    symbol        TEXT    NOT NULL,
    commit_id     TEXT    NOT NULL,
    heals         TEXT    NOT NULL             -- id of the citation it replaces; empty for none
) STRICT;
CREATE INDEX evidence_item ON evidence (item_id);
CREATE INDEX evidence_path ON evidence (scope, path) WHERE path <> '';

-- No foreign keys: the links of a purged memory stay, as the log names them.
CREATE TABLE link (
    src      TEXT    NOT NULL,
    rel      TEXT    NOT NULL,                 -- supersedes, refines, conflicts_with, depends_on, derived_from, cites
    dst      TEXT    NOT NULL,
    tx_from  INTEGER NOT NULL,
    PRIMARY KEY (src, rel, dst)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_dst ON link (dst, rel);

-- The log. head = SHA-256 of the row's record with prev, the head before it. args never hold text.
CREATE TABLE op (
    seq      INTEGER PRIMARY KEY,
    id       TEXT    NOT NULL UNIQUE,
    lamport  INTEGER NOT NULL,
    actor    TEXT    NOT NULL,
    kind     TEXT    NOT NULL,                 -- remember, propose, approve, support, heal, relate, forget, restore, archive, purge
    item_id  TEXT    NOT NULL,
    args     TEXT    NOT NULL,                 -- a canonical JSON object
    at       INTEGER NOT NULL,
    prev     TEXT    NOT NULL,
    head     TEXT    NOT NULL
) STRICT;
CREATE INDEX op_item ON op (item_id, seq);
CREATE INDEX op_lamport ON op (lamport);

-- Idempotency keys of callers, hashed.
CREATE TABLE write_key (key BLOB PRIMARY KEY, item_id TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- How a memory was used. Apart from the facts: reading changes nothing that is hashed.
CREATE TABLE item_use (
    item_id  TEXT    NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    kind     TEXT    NOT NULL,                 -- cited, confirmed
    at       INTEGER NOT NULL,
    PRIMARY KEY (item_id, at, kind)
) STRICT, WITHOUT ROWID;

-- Postings only; rowid is item.row. extra holds the parts of names, and pairs of letters where no blanks part words.
CREATE VIRTUAL TABLE item_fts USING fts5(
    text, extra, content='', contentless_delete=1, tokenize='porter unicode61'
);
INSERT INTO item_fts (item_fts, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE item_vocab USING fts5vocab(item_fts, row);
