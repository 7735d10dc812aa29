-- The trail of one workspace: what was looked at, as lines of JSON whose form helix_core/phase/log.py knows.
CREATE TABLE entry (
    seq   INTEGER PRIMARY KEY AUTOINCREMENT,
    step  INTEGER,                              -- NULL for what is no look
    body  TEXT NOT NULL
) STRICT;
CREATE INDEX entry_step ON entry (step) WHERE step IS NOT NULL;
CREATE TABLE flag (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
