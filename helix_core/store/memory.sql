-- The memory of one user. Precious: what is here stands nowhere else. All text is masked: no secret gets in.

CREATE TABLE workspace (
    id    INTEGER PRIMARY KEY,
    path  BLOB NOT NULL UNIQUE,                -- real path, raw bytes
    key   TEXT NOT NULL DEFAULT ''             -- random; the scope of its memories
) STRICT;
CREATE UNIQUE INDEX workspace_key ON workspace (key);

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

-- A pause of an agent for a person. The oldest go when there are too many; so do the snapshots of all but a few.
CREATE TABLE pause (
    id                         INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id                   TEXT    NOT NULL UNIQUE,    -- random
    workspace_id               INTEGER NOT NULL REFERENCES workspace (id),
    session                    TEXT    NOT NULL,
    pause_type                 TEXT    NOT NULL,
    participant                TEXT    NOT NULL,
    party                      TEXT    NOT NULL,
    task_context               TEXT    NOT NULL,
    resolved_without_operator  INTEGER NOT NULL,
    signals                    TEXT    NOT NULL,           -- a JSON object
    about                      TEXT    NOT NULL,           -- a JSON object
    files                      TEXT    NOT NULL,           -- JSON: the places it is about, as they were
    snapshot                   BLOB    NOT NULL,           -- compressed: every indexed file and its hash; empty for none
    at                         REAL    NOT NULL,           -- Unix seconds
    resolved_at                REAL                        -- null while it is open
) STRICT;
CREATE INDEX pause_workspace ON pause (workspace_id, id);

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
    waits           INTEGER NOT NULL DEFAULT 0, -- 1 while nobody approved what a program gave
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
    end_line    INTEGER NOT NULL,
    posted      INTEGER NOT NULL DEFAULT 0     -- mark of its postings
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
CREATE TABLE note_evidence (
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
    tx_from       INTEGER NOT NULL,            -- op.seq that wrote it
    posted        INTEGER NOT NULL DEFAULT 0   -- mark of its postings
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

-- Where the log ends, so that operations taken away from its end are missed; marks is a sum over what the rows of item,
-- evidence and link have in this file alone.
CREATE TABLE chain (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    seq    INTEGER NOT NULL,
    head   TEXT    NOT NULL,
    marks  INTEGER NOT NULL
) STRICT;
INSERT INTO chain VALUES (1, 0, '', 0);

-- Sums over rows that no operation names: the words that memories are found by, notes, workspaces, carried records.
CREATE TABLE mark (subject TEXT PRIMARY KEY, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO mark VALUES ('words', 0), ('notes', 0), ('workspaces', 0), ('carried', 0);

-- Records of strands whose type only a newer Helix knows, as they came in.
CREATE TABLE carried (
    type   TEXT NOT NULL,
    id     TEXT NOT NULL,
    owner  TEXT NOT NULL,                      -- the memory it belongs to; empty for none
    line   TEXT NOT NULL,                      -- canonical JSON
    PRIMARY KEY (type, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX carried_owner ON carried (owner) WHERE owner <> '';

-- Idempotency keys of callers, hashed.
CREATE TABLE write_key (key BLOB PRIMARY KEY, item_id TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- How a memory was used. Apart from the facts: reading changes nothing that is hashed.
CREATE TABLE item_use (
    item_id  TEXT    NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    kind     TEXT    NOT NULL,                 -- opened, cited, confirmed
    at       INTEGER NOT NULL,
    PRIMARY KEY (item_id, at, kind)
) STRICT, WITHOUT ROWID;

-- Postings only; rowid is item.row. extra holds the parts of names, and pairs of letters where no blanks part words.
CREATE VIRTUAL TABLE item_fts USING fts5(
    text, extra, content='', contentless_delete=1, tokenize='porter unicode61'
);
INSERT INTO item_fts (item_fts, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE item_vocab USING fts5vocab(item_fts, row);

-- Vectors of the texts of memories, by item.row: one space for each model. Derived, and made anew where they are missing.
CREATE TABLE vector_space (
    id          INTEGER PRIMARY KEY,
    model       TEXT    NOT NULL UNIQUE,
    dimensions  INTEGER NOT NULL,
    next        INTEGER NOT NULL,              -- the first row that may have no vector
    removals    INTEGER NOT NULL               -- how often rows were removed: their numbers may be given again
) STRICT;
CREATE TABLE item_vector (
    space   INTEGER NOT NULL REFERENCES vector_space (id),
    row     INTEGER NOT NULL,
    vector  BLOB    NOT NULL,                  -- int8, without a length
    PRIMARY KEY (space, row)
) STRICT, WITHOUT ROWID;
