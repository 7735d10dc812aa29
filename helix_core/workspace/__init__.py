"""The state of the disk and of git: which files count, their bytes, and the facts that git records about them.

In: a folder. Out: listings, consistent reads, commits, states, all as values. It must never follow a symlink, open what
is not a regular file, leave the root, or let a repository start a program; it knows nothing of indexes or text. Only
this package accesses files and git.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.workspace.blobs import BlobReader
    from helix_core.workspace.counting import Counting, OutsideRules, Record, rule_files
    from helix_core.workspace.disk import DiskError, DiskFile, Root, Scan, check_project, is_no_project
    from helix_core.workspace.files import (
        HELIXIGNORE,
        MAX_LINES,
        NOT_INCLUDED,
        OVER_LIMIT,
        FileOptions,
        content_reason,
        ignored_files,
        include_note,
        is_private,
        limit_note,
        list_files,
        name_reason,
        pattern_notes,
        would_count,
    )
    from helix_core.workspace.git import Git
    from helix_core.workspace.history import (
        BlamedLines,
        ChangedSince,
        CoChange,
        LastCommits,
        LineHistory,
        StartingPoint,
        authored_paths,
        changed_paths,
        changed_since,
        closest_co_changes,
        co_changes,
        commit_named,
        last_commits,
        starting_point,
        tracked_changes,
    )
    from helix_core.workspace.ignore import (
        DEFAULT_SKIPS,
        MAX_DEPTH,
        MAX_RULES_BYTES,
        IgnoreRules,
        PathGlobs,
        RuleTree,
        parse_rules,
        rules_of,
    )
    from helix_core.workspace.paths import checked, path_of, source_id_of, uri_of
    from helix_core.workspace.state import GitStateReader

__all__ = [
    "DEFAULT_SKIPS",
    "HELIXIGNORE",
    "MAX_DEPTH",
    "MAX_LINES",
    "MAX_RULES_BYTES",
    "NOT_INCLUDED",
    "OVER_LIMIT",
    "BlamedLines",
    "BlobReader",
    "ChangedSince",
    "CoChange",
    "Counting",
    "DiskError",
    "DiskFile",
    "FileOptions",
    "Git",
    "GitStateReader",
    "IgnoreRules",
    "LastCommits",
    "LineHistory",
    "OutsideRules",
    "PathGlobs",
    "Record",
    "Root",
    "RuleTree",
    "Scan",
    "StartingPoint",
    "authored_paths",
    "changed_paths",
    "changed_since",
    "check_project",
    "checked",
    "closest_co_changes",
    "co_changes",
    "commit_named",
    "content_reason",
    "ignored_files",
    "include_note",
    "is_no_project",
    "is_private",
    "last_commits",
    "limit_note",
    "list_files",
    "name_reason",
    "parse_rules",
    "path_of",
    "pattern_notes",
    "rule_files",
    "rules_of",
    "source_id_of",
    "starting_point",
    "tracked_changes",
    "uri_of",
    "would_count",
]

__getattr__ = lazy_face(
    __name__,
    {
        "blobs": ("BlobReader",),
        "counting": ("Counting", "OutsideRules", "Record", "rule_files"),
        "disk": ("DiskError", "DiskFile", "Root", "Scan", "check_project", "is_no_project"),
        "files": (
            "FileOptions",
            "HELIXIGNORE",
            "MAX_LINES",
            "NOT_INCLUDED",
            "OVER_LIMIT",
            "content_reason",
            "ignored_files",
            "is_private",
            "include_note",
            "limit_note",
            "pattern_notes",
            "list_files",
            "name_reason",
            "would_count",
        ),
        "git": ("Git",),
        "history": (
            "BlamedLines",
            "ChangedSince",
            "CoChange",
            "LastCommits",
            "LineHistory",
            "StartingPoint",
            "authored_paths",
            "changed_paths",
            "changed_since",
            "closest_co_changes",
            "co_changes",
            "commit_named",
            "last_commits",
            "starting_point",
            "tracked_changes",
        ),
        "ignore": (
            "DEFAULT_SKIPS",
            "IgnoreRules",
            "MAX_DEPTH",
            "MAX_RULES_BYTES",
            "PathGlobs",
            "RuleTree",
            "parse_rules",
            "rules_of",
        ),
        "paths": ("checked", "path_of", "source_id_of", "uri_of"),
        "state": ("GitStateReader",),
    },
)
