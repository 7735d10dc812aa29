"""Keep the index up to date: plan, refresh, intake, embedding, the write lock, and their reports.

The only room that writes files' items into the index. Answers no question.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.engine.indexing.plan import first_retry_at, is_rule_file, unsettled, work_plan
    from helix_core.engine.indexing.refresh import LastLook, Refresh, vacuum
    from helix_core.engine.indexing.report import (
        EMPTY_FOLDER,
        PendingNotices,
        Progress,
        RefreshReport,
        freshness,
        status,
    )
    from helix_core.engine.indexing.write_lock import LOCK_WAIT_S, handing_over, lock_holder, turn

__all__ = [
    "EMPTY_FOLDER",
    "LOCK_WAIT_S",
    "LastLook",
    "PendingNotices",
    "Progress",
    "Refresh",
    "RefreshReport",
    "first_retry_at",
    "freshness",
    "handing_over",
    "is_rule_file",
    "lock_holder",
    "status",
    "turn",
    "unsettled",
    "vacuum",
    "work_plan",
]

__getattr__ = lazy_face(
    __name__,
    {
        "plan": ("first_retry_at", "is_rule_file", "unsettled", "work_plan"),
        "refresh": ("LastLook", "Refresh", "vacuum"),
        "report": ("EMPTY_FOLDER", "Progress", "RefreshReport", "PendingNotices", "freshness", "status"),
        "write_lock": ("LOCK_WAIT_S", "handing_over", "lock_holder", "turn"),
    },
)
