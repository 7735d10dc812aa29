"""The subjects of the commits of this repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SINCE = "7178c56e"
"""The commits after this one are held to the rule; the ones before cannot change any more."""
LONGEST_SUBJECT = 72
"""Characters; CONTRIBUTING.md says so."""


def git(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run git in a folder; the status says whether it could answer."""
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)


def long_subjects(since: str, folder: Path = ROOT) -> list[str]:
    """The commits after one whose subject is too long, each with its hash. Merges have subjects of git's own."""
    done = git("log", "--no-merges", "--format=%h %s", f"{since}..HEAD", folder=folder)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if len(line.partition(" ")[2]) > LONGEST_SUBJECT]


def test_the_subject_of_a_commit_is_short() -> None:
    if git("merge-base", "--is-ancestor", SINCE, "HEAD").returncode:
        pytest.skip(f"this checkout does not have the history since {SINCE}: it is shallow, or not of git")
    assert long_subjects(SINCE) == []


def test_a_long_subject_is_found(tmp_path: Path) -> None:
    mail = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    assert git("init", "--quiet", folder=tmp_path).returncode == 0
    for subject in ("Begin", "x" * LONGEST_SUBJECT, "y" * (LONGEST_SUBJECT + 1)):
        done = git(*mail, "commit", "--quiet", "--allow-empty", "-m", f"{subject}\n\n{'body' * 30}", folder=tmp_path)
        assert done.returncode == 0, done.stderr
    (found,) = long_subjects("HEAD~2", tmp_path)
    assert found.endswith("y" * (LONGEST_SUBJECT + 1))
