-- The memory of one user. Precious: what is here stands nowhere else. All text is masked: no secret gets in.

CREATE TABLE workspace (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE) STRICT;   -- real path, raw bytes

-- Four layers of who said something, and the time zone; empty text where it is not known.
CREATE TABLE attribution (
    id        INTEGER PRIMARY KEY,
    org       TEXT NOT NULL,
    device    TEXT NOT NULL,
    user      TEXT NOT NULL,
    agent     TEXT NOT NULL,
    timezone  TEXT NOT NULL,
    UNIQUE (org, device, user, agent, timezone)
) STRICT;

-- A question of a chat and its answer. The oldest go when there are too many.
CREATE TABLE exchange (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id    INTEGER NOT NULL REFERENCES workspace (id),
    session         TEXT    NOT NULL,          -- as the client named it; empty when it did not
    question        TEXT    NOT NULL,
    answer          TEXT    NOT NULL,
    model           TEXT    NOT NULL,
    packet_id       TEXT    NOT NULL,          -- of the evidence that was added; empty when none was
    at              REAL    NOT NULL,          -- Unix seconds
    finish          TEXT    NOT NULL,          -- stop, length, …: the upstream's word
    truncated       INTEGER NOT NULL,          -- 1 when the answer stops before its end
    attribution_id  INTEGER NOT NULL REFERENCES attribution (id),
    size_bytes      INTEGER NOT NULL
) STRICT;
CREATE INDEX exchange_session ON exchange (workspace_id, session, id);

-- A text that was given, or a fact drawn from exchanges. Never pruned; goes when it is forgotten.
CREATE TABLE note (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id    INTEGER NOT NULL REFERENCES workspace (id),
    content_hash    BLOB    NOT NULL,          -- SHA-256 of the text's UTF-8 bytes
    text            TEXT    NOT NULL,
    content_type    TEXT    NOT NULL,          -- text, code, conversation, fact
    title           TEXT    NOT NULL,
    metadata        TEXT    NOT NULL,          -- a JSON object
    language        TEXT    NOT NULL,
    source_kind     TEXT    NOT NULL,
    volatility      TEXT    NOT NULL,
    at              REAL    NOT NULL,          -- when it was given last
    attribution_id  INTEGER NOT NULL REFERENCES attribution (id),
    parser          TEXT    NOT NULL,          -- what its items and claims were made with
    UNIQUE (workspace_id, content_hash)
) STRICT;

-- A chunk of a note; the chunks of a note partition its bytes.
CREATE TABLE note_item (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    note_id     INTEGER NOT NULL REFERENCES note (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    gene_id     BLOB    NOT NULL,              -- first 8 bytes of SHA-256 of the chunk's text
    kind        TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    breadcrumb  TEXT    NOT NULL,
    start_byte  INTEGER NOT NULL,
    end_byte    INTEGER NOT NULL,
    start_line  INTEGER NOT NULL,
    end_line    INTEGER NOT NULL
) STRICT;
CREATE INDEX note_item_note ON note_item (note_id, number);
CREATE INDEX note_item_gene ON note_item (gene_id);

CREATE TABLE note_claim (
    item_id     INTEGER NOT NULL REFERENCES note_item (id) ON DELETE CASCADE,
    ordinal     INTEGER NOT NULL,
    key         TEXT    NOT NULL,
    value       TEXT    NOT NULL,
    value_type  TEXT    NOT NULL,
    line        INTEGER NOT NULL,
    PRIMARY KEY (item_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Which exchange a fact was drawn from; stays when that exchange is pruned.
CREATE TABLE evidence (
    note_id      INTEGER NOT NULL REFERENCES note (id) ON DELETE CASCADE,
    exchange_id  INTEGER NOT NULL,
    PRIMARY KEY (note_id, exchange_id)
) STRICT, WITHOUT ROWID;

-- What a session was given whole: the chunk, and the file it stood in as it was then.
CREATE TABLE delivered (
    workspace_id  INTEGER NOT NULL REFERENCES workspace (id),
    session       TEXT    NOT NULL,
    gene_id       BLOB    NOT NULL,
    content_hash  BLOB    NOT NULL,
    at            REAL    NOT NULL,
    PRIMARY KEY (workspace_id, session, gene_id, content_hash)
) STRICT, WITHOUT ROWID;

-- What was opened or cited: a file, by whom and when; one row a file and sitting. The oldest go when there are too many.
CREATE TABLE used (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id  INTEGER NOT NULL REFERENCES workspace (id),
    session       TEXT    NOT NULL,
    path          BLOB    NOT NULL,            -- raw bytes from the workspace's root
    at            REAL    NOT NULL             -- Unix seconds
) STRICT;
CREATE INDEX used_path ON used (workspace_id, path, at);
CREATE INDEX used_session ON used (workspace_id, session, at);

-- Postings only, rowid is note_item.id; the columns are those of the index's chunk_fts.
CREATE VIRTUAL TABLE note_fts USING fts5(
    body, doc, names, extra, title,
    content='', contentless_delete=1, tokenize='porter unicode61'
);
INSERT INTO note_fts (note_fts, rank) VALUES ('secure-delete', 1);
