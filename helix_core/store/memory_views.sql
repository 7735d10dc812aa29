-- The views of the memory, of its newest format: made anew after memory.sql, and after a migration. They are as of the
-- operation 9223372036854775807, the last: a query as of another one puts that number in its place.
DROP VIEW IF EXISTS item_state;
DROP VIEW IF EXISTS item_status;
DROP VIEW IF EXISTS item_superseding;

-- What a memory supersedes, and since which operation: nothing where it waits for approval, is forgotten or purged.
CREATE VIEW item_superseding AS
SELECT l.src, l.dst, max(l.tx_from, (SELECT min(o.seq) FROM op o WHERE o.item_id = l.src
    AND o.kind IN ('remember', 'approve') AND o.seq <= 9223372036854775807)) AS since
FROM link l
WHERE l.rel = 'supersedes' AND l.src <> l.dst AND l.tx_from <= 9223372036854775807
    AND coalesce((SELECT o.kind <> 'propose' FROM op o WHERE o.item_id = l.src
        AND o.kind IN ('remember', 'propose', 'approve')
        AND o.seq <= 9223372036854775807 ORDER BY o.lamport DESC, o.kind = 'propose' DESC LIMIT 1), 0)
    AND NOT EXISTS (SELECT 1 FROM op o WHERE o.item_id = l.src AND o.kind = 'purge' AND o.seq <= 9223372036854775807)
    AND NOT coalesce((SELECT o.kind = 'forget' FROM op o WHERE o.item_id = l.src
        AND o.kind IN ('forget', 'restore', 'confirm')
        AND o.seq <= 9223372036854775807 ORDER BY o.lamport DESC, o.kind = 'forget' DESC LIMIT 1), 0);

-- The last decision on each memory.
CREATE VIEW item_status AS
SELECT id, tx_from, is_forgotten, is_proposed, is_archived, superseded_at,
    CASE
        WHEN is_forgotten THEN 'forgotten'
        WHEN is_proposed THEN 'quarantined'
        WHEN superseded_at IS NOT NULL THEN 'superseded'
        WHEN is_archived THEN 'archived'
        ELSE 'active'
    END AS status,
    CASE WHEN is_forgotten OR is_archived THEN ended_at ELSE superseded_at END AS tx_to
FROM (
    SELECT i.id, i.tx_from,
        coalesce((SELECT o.kind = 'forget' FROM op o WHERE o.item_id = i.id AND o.kind IN ('forget', 'restore', 'confirm')
            AND o.seq <= 9223372036854775807 ORDER BY o.lamport DESC, o.kind = 'forget' DESC LIMIT 1), 0) AS is_forgotten,
        coalesce((SELECT o.kind = 'propose' FROM op o WHERE o.item_id = i.id
            AND o.kind IN ('remember', 'propose', 'approve')
            AND o.seq <= 9223372036854775807 ORDER BY o.lamport DESC, o.kind = 'propose' DESC LIMIT 1), 0) AS is_proposed,
        coalesce((SELECT o.kind = 'archive' FROM op o WHERE o.item_id = i.id AND o.kind IN ('archive', 'restore', 'confirm')
            AND o.seq <= 9223372036854775807 ORDER BY o.lamport DESC, o.kind = 'archive' DESC LIMIT 1), 0) AS is_archived,
        (SELECT max(o.seq) FROM op o WHERE o.item_id = i.id AND o.kind IN ('forget', 'archive')
            AND o.seq <= 9223372036854775807) AS ended_at,
        (SELECT min(s.since) FROM item_superseding s WHERE s.dst = i.id
            -- Of memories that supersede each other, also around a corner, the newest stays: two stores may have decided
            -- it in opposite ways. Only what is superseded by an older one can be the newest.
            AND NOT (coalesce((SELECT (i.valid_from, i.id) > (r.valid_from, r.id) FROM item r WHERE r.id = s.src), 1)
                AND (WITH RECURSIVE
                    onward (id) AS (SELECT i.id UNION
                        SELECT n.dst FROM onward JOIN item_superseding n ON n.src = onward.id),
                    back (id) AS (SELECT i.id UNION
                        SELECT n.src FROM back JOIN item_superseding n ON n.dst = back.id)
                    SELECT s.src IN (SELECT id FROM onward) AND NOT EXISTS (
                        SELECT 1 FROM item n WHERE n.id IN (SELECT id FROM onward) AND n.id IN (SELECT id FROM back)
                        AND n.tx_from <= 9223372036854775807 AND (n.valid_from, n.id) > (i.valid_from, i.id))))) AS superseded_at
    FROM item i WHERE i.tx_from <= 9223372036854775807
);

-- The same, where an active memory that conflicts with another active one is contested.
CREATE VIEW item_state AS
SELECT s.id, s.tx_from, s.tx_to,
    CASE WHEN s.status = 'active' AND (
        EXISTS (SELECT 1 FROM link l JOIN item_status o ON o.id = l.dst WHERE l.src = s.id
            AND l.rel = 'conflicts_with' AND l.tx_from <= 9223372036854775807 AND o.status = 'active')
        OR EXISTS (SELECT 1 FROM link l JOIN item_status o ON o.id = l.src WHERE l.dst = s.id
            AND l.rel = 'conflicts_with' AND l.tx_from <= 9223372036854775807 AND o.status = 'active')
    ) THEN 'contested' ELSE s.status END AS status
FROM item_status s;
