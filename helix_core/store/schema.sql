-- The index of one workspace. Disposable: everything here can be built again from the files.
-- Spans, postings, links and claims; never a copy of the source.

-- One version of one path. At most one version of a path is live; the others are parked: their rows stay, so that
-- coming back to bytes seen before is one flag. `skipped` says why a file that was seen has no items.
-- Its items are the rows first_item … first_item + item_count - 1 of `item`, in file order.
CREATE TABLE source (
    id            INTEGER PRIMARY KEY,
    path          BLOB    NOT NULL,            -- raw bytes from the workspace root, '/' between parts
    live          INTEGER NOT NULL,            -- 1 live, 0 parked
    parked_order  INTEGER NOT NULL,            -- the larger, the later it was parked; 0 when live
    content_hash  BLOB    NOT NULL,            -- SHA-256 of the raw bytes; empty when they were never read
    size_bytes    INTEGER NOT NULL,            -- size … inode: the stat signature when the bytes were last known equal
    mtime_ns      INTEGER NOT NULL,
    ctime_ns      INTEGER NOT NULL,
    inode         INTEGER NOT NULL,
    observed_ns   INTEGER NOT NULL,            -- when these bytes were read
    verified_ns   INTEGER NOT NULL,            -- when the signature above was taken
    profile_id    INTEGER NOT NULL,
    line_count    INTEGER NOT NULL,
    has_errors    INTEGER NOT NULL,            -- 1 when the parser met broken syntax
    masked_count  INTEGER NOT NULL,            -- secrets replaced
    skipped       TEXT    NOT NULL,
    stem_id       INTEGER,                     -- name.id of the file name without its extension
    first_item    INTEGER NOT NULL,
    item_count    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX source_live ON source (path) WHERE live = 1;
CREATE INDEX source_parked ON source (path) WHERE live = 0;
CREATE INDEX source_set_aside ON source (path) WHERE live = 1 AND skipped = 'quarantined';
CREATE INDEX source_unreadable ON source (path) WHERE live = 1 AND skipped = 'unreadable';
CREATE INDEX source_stem ON source (stem_id) WHERE stem_id IS NOT NULL;

-- Where the bytes of a source have secrets: all of them, or none where the spans do not suffice to mask it again.
CREATE TABLE secret (
    source_id   INTEGER NOT NULL,
    start_byte  INTEGER NOT NULL,
    end_byte    INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    PRIMARY KEY (source_id, start_byte)
) STRICT, WITHOUT ROWID;

-- Of files that broke their parser: how often these bytes were tried, and the last time.
CREATE TABLE set_aside (
    path          BLOB PRIMARY KEY,
    content_hash  BLOB    NOT NULL,
    reason        TEXT    NOT NULL,
    attempts      INTEGER NOT NULL,
    tried_at      REAL    NOT NULL,            -- Unix seconds
    limits        TEXT    NOT NULL             -- the limits it broke
) STRICT, WITHOUT ROWID;

-- What many sources have in common.
CREATE TABLE profile (
    id           INTEGER PRIMARY KEY,
    parser       TEXT NOT NULL,                -- chunker and grammar with their versions
    language     TEXT NOT NULL,
    source_kind  TEXT NOT NULL,
    volatility   TEXT NOT NULL,
    authority    TEXT NOT NULL,
    role         TEXT NOT NULL,
    UNIQUE (parser, language, source_kind, volatility, authority, role)
) STRICT;

-- A chunk: one symbol or a part of one, with its exact place in the file.
CREATE TABLE item (
    id          INTEGER PRIMARY KEY,
    source_id   INTEGER NOT NULL,
    kind_id     INTEGER NOT NULL,
    name_id     INTEGER,                       -- NULL when it has none
    breadcrumb  TEXT    NOT NULL,
    start_byte  INTEGER NOT NULL,
    end_byte    INTEGER NOT NULL,
    start_line  INTEGER NOT NULL,
    end_line    INTEGER NOT NULL,
    text_hash   BLOB    NOT NULL,              -- first 8 bytes of SHA-256 of the masked text
    claimed     INTEGER NOT NULL               -- 0 where its names were guessed: found by, and never claimed
) STRICT;

-- The few words for what sort of symbol something is: function, class, section, …
CREATE TABLE kind (id INTEGER PRIMARY KEY, kind TEXT NOT NULL UNIQUE) STRICT;

-- Distinct names: of items, defined symbols and file stems. Looked up folded, by prefix, or by trigram.
CREATE TABLE name (
    id      INTEGER PRIMARY KEY,
    folded  TEXT NOT NULL,
    name    TEXT                               -- as written; NULL when that is the same
) STRICT;
CREATE INDEX name_folded ON name (folded);

CREATE TABLE definition (
    item_id     INTEGER NOT NULL,
    ordinal     INTEGER NOT NULL,
    name_id     INTEGER NOT NULL,
    kind_id     INTEGER NOT NULL,
    start_line  INTEGER NOT NULL,
    end_line    INTEGER NOT NULL,
    trail       TEXT,                          -- the names of those around it; NULL when they are its item's breadcrumb
    PRIMARY KEY (item_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX definition_name ON definition (name_id);

-- A literal fact key = value. `leaf` is the folded last part of the dotted key: every look-up by key starts there.
CREATE TABLE claim (
    item_id     INTEGER NOT NULL,
    ordinal     INTEGER NOT NULL,
    key         TEXT    NOT NULL,
    leaf        TEXT    NOT NULL,
    value       TEXT    NOT NULL,
    value_type  TEXT    NOT NULL,
    line        INTEGER NOT NULL,
    PRIMARY KEY (item_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_leaf ON claim (leaf);

-- item --rel--> a name or module. Targets are text and resolved when asked, so no link can dangle.
CREATE TABLE link (
    item_id    INTEGER NOT NULL,
    rel        INTEGER NOT NULL,               -- 1 imports, 2 tests
    target_id  INTEGER NOT NULL,
    PRIMARY KEY (item_id, rel, target_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_target ON link (target_id, rel);
CREATE TABLE target (id INTEGER PRIMARY KEY, target TEXT NOT NULL) STRICT;
CREATE INDEX target_folded ON target (target COLLATE NOCASE);

-- The distinct texts that have vectors, by hash. The vectors lie in one vec0 table a space, vectors_<space.id>, made when
-- the space's first vector comes; their rowid is embedded.id.
CREATE TABLE embedded (
    id     INTEGER PRIMARY KEY,
    hash   BLOB    NOT NULL,                   -- first 8 bytes of SHA-256 of level and text
    level  INTEGER NOT NULL                    -- 1 outline, 2 chunk
) STRICT;
CREATE UNIQUE INDEX embedded_hash ON embedded (hash);
-- Where each text stands: the chunk itself, or for an outline the first chunk of its part of the file.
CREATE TABLE stands_in (
    source_id  INTEGER NOT NULL,
    item_id    INTEGER NOT NULL,
    text_id    INTEGER NOT NULL,
    PRIMARY KEY (source_id, item_id, text_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX stands_in_text ON stands_in (text_id);
-- Vectors that can be compared with each other: of one model, at one level.
CREATE TABLE space (
    id          INTEGER PRIMARY KEY,
    model       TEXT    NOT NULL,
    level       INTEGER NOT NULL,
    dimensions  INTEGER NOT NULL,
    UNIQUE (model, level)
) STRICT;

-- The last commit that touched a path.
CREATE TABLE last_commit (
    path          BLOB PRIMARY KEY,
    commit_id     BLOB    NOT NULL,
    author        TEXT    NOT NULL,
    committed_at  INTEGER NOT NULL             -- Unix seconds
) STRICT, WITHOUT ROWID;

-- Files that git says change together, closest first: at most a handful a path.
CREATE TABLE co_change (
    path      BLOB    NOT NULL,
    place     INTEGER NOT NULL,                -- 0 is the closest
    other     BLOB    NOT NULL,
    together  INTEGER NOT NULL,                -- commits that touched both
    lift      REAL    NOT NULL,                -- how much oftener than two strangers
    PRIMARY KEY (path, place)
) STRICT, WITHOUT ROWID;

-- Files that a refresh has seen on the disk and that are not in yet as they are there. The row goes with the file's
-- own transaction, so what is left is true also after a refresh that was cut short.
CREATE TABLE pending (
    path    BLOB PRIMARY KEY,
    is_new  INTEGER NOT NULL                   -- 1 when no version of the file is live
) STRICT, WITHOUT ROWID;

-- The ids to give next; ids are never given twice, so a stale one can find nothing but nothing wrong.
CREATE TABLE next_id (
    source  INTEGER NOT NULL,
    item    INTEGER NOT NULL,
    name    INTEGER NOT NULL,
    target  INTEGER NOT NULL,
    parked  INTEGER NOT NULL
) STRICT;
INSERT INTO next_id VALUES (1, 1, 1, 1, 1);

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Postings only: rowid is item.id, source.id, item.id and name.id respectively. `body` comes first because
-- the first column costs two bytes less for each posting.
CREATE VIRTUAL TABLE chunk_fts USING fts5(
    body, doc, names, extra, path,
    content='', contentless_delete=1, tokenize='porter unicode61'
);
CREATE VIRTUAL TABLE file_fts USING fts5(
    body, doc, names, extra, path,
    content='', contentless_delete=1, tokenize='porter unicode61'
);
CREATE VIRTUAL TABLE ref_fts USING fts5(
    refs,
    content='', contentless_delete=1, detail=none, tokenize="unicode61 tokenchars '_'"
);
CREATE VIRTUAL TABLE name_fts USING fts5(
    folded,
    content='name', content_rowid='id', detail=none, columnsize=0, tokenize='trigram'
);
CREATE VIRTUAL TABLE chunk_vocab USING fts5vocab(chunk_fts, row);
CREATE VIRTUAL TABLE name_vocab USING fts5vocab(name_fts, instance);

-- Room in memory for the postings of one transaction, so that it leaves one segment.
INSERT INTO chunk_fts (chunk_fts, rank) VALUES ('hashsize', 16777216);
INSERT INTO file_fts (file_fts, rank) VALUES ('hashsize', 16777216);
INSERT INTO ref_fts (ref_fts, rank) VALUES ('hashsize', 16777216);
