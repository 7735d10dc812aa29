# ruff: noqa: ARG001 - every kind is called alike
"""Mutations through git: the whole tree moves, or only what git thinks of it does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from typing import Any

from truth_bench.repository import CODE, CONFLICTING, MAIN, SIDE
from truth_bench.world import Mutation, Target, World

GIT_KINDS: dict[str, Mutation] = {}


def git_kind(mutation: Mutation) -> Mutation:
    """Registers a kind that begins on a clean tree."""

    def cleanly(world: World, target: Target) -> Target | None:
        world.restore()
        world.old_index = (world.repository.git_dir / "index").read_bytes()
        return mutation(world, target)

    GIT_KINDS[mutation.__name__] = cleanly
    return mutation


def _one_of(world: World, paths: list[bytes]) -> Target | None:
    """A place in one of the files that count as code and are there."""
    good = [path for path in paths if path.endswith(CODE) and world.is_file(path)]
    return Target(world.rng.choice(good), 1, 40) if good else None


def _named(world: World, *arguments: str) -> list[bytes]:
    return [path for path in world.repository.git(*arguments).split(b"\0") if path]


def one_of_changed(world: World, before: str, after: str) -> Target | None:
    """A place in one of the files that differ between two commits."""
    return _one_of(world, _named(world, "diff", "--name-only", "-z", "--diff-filter=M", before, after))


def _unmerged(world: World) -> Target | None:
    return _one_of(world, _named(world, "diff", "--name-only", "--diff-filter=U", "-z"))


@git_kind
def git_checkout_of_another_commit(world: World, target: Target) -> Target | None:
    other = world.rng.choice((SIDE, CONFLICTING, f"{MAIN}~1", f"{MAIN}~3"))
    changed = _named(world, "diff", "--name-only", "-z", MAIN, other)
    world.repository.git("checkout", "-q", other)
    return _one_of(world, changed) or target


@git_kind
def git_checkout_and_back(world: World, target: Target) -> Target | None:
    changed = _named(world, "diff", "--name-only", "-z", MAIN, SIDE)
    world.repository.git("checkout", "-q", SIDE)
    world.repository.git("checkout", "-q", MAIN)
    return _one_of(world, changed) or target


@git_kind
def git_checkout_of_one_file(world: World, target: Target) -> Target | None:
    changed = _one_of(world, _named(world, "diff", "--name-only", "-z", "--diff-filter=M", MAIN, SIDE))
    if changed is not None:
        world.repository.git("checkout", "-q", SIDE, "--", os.fsdecode(changed.path))
    return changed


def _edit(world: World, target: Target) -> bool:
    if not world.is_file(target.path):
        return False
    data = world.repository.read(target.path)
    with open(world.absolute(target.path), "wb") as file:
        file.write(b"# stashed or committed by the bench\n" + data)
    return True


@git_kind
def git_stash(world: World, target: Target) -> Target | None:
    if not _edit(world, target):
        return None
    world.repository.git("stash", "-q")
    return target


@git_kind
def git_stash_pop(world: World, target: Target) -> Target | None:
    if not _edit(world, target):
        return None
    world.repository.git("stash", "-q", check=False)
    world.repository.git("stash", "pop", "-q", check=False)
    return target


@git_kind
def git_stash_pop_conflict(world: World, target: Target) -> Target | None:
    """Unmerged entries without any operation under way."""
    if not _edit(world, target):
        return None
    world.repository.git("stash", "-q", check=False)
    _take_back_later(world)
    data = world.repository.read(target.path)
    with open(world.absolute(target.path), "wb") as file:
        file.write(b"# something else at the same place\n" + data)
    world.repository.git("add", "-A")
    world.repository.git("commit", "-qm", "in the way")
    world.repository.git("stash", "pop", "-q", check=False)
    return target


def _take_back_later(world: World) -> None:
    """The main branch moves back to here when the world is restored, so that commits do not pile up."""
    base = world.repository.git("rev-parse", MAIN).decode().strip()
    world.undo = lambda: _force(world, base)


def _force(world: World, commit: str) -> None:
    reference = world.repository.git_dir / "refs" / "heads" / MAIN
    reference.parent.mkdir(parents=True, exist_ok=True)
    reference.write_text(commit + "\n")


@git_kind
def git_merge_conflict(world: World, target: Target) -> Target | None:
    world.repository.git("merge", "-q", CONFLICTING, check=False)
    return _unmerged(world)


@git_kind
def git_merge_touching(world: World, target: Target) -> Target | None:
    """A file that merged cleanly while the merge as a whole is still under way."""
    world.repository.git("merge", "-q", CONFLICTING, check=False)
    return _one_of(world, _named(world, "diff", "--cached", "--name-only", "--diff-filter=M", "-z", "HEAD"))


@git_kind
def git_merge_bystander(world: World, target: Target) -> Target | None:
    """A file the merge under way has nothing to do with."""
    world.repository.git("merge", "-q", CONFLICTING, check=False)
    return target if world.is_file(target.path) else None


@git_kind
def git_merge_conflict_then_abort(world: World, target: Target) -> Target | None:
    world.repository.git("merge", "-q", CONFLICTING, check=False)
    conflicted = _unmerged(world)
    world.repository.git("merge", "--abort")
    return conflicted


@git_kind
def git_conflict_resolved_and_added(world: World, target: Target) -> Target | None:
    """No unmerged entry is left, but the merge has not been committed."""
    world.repository.git("merge", "-q", CONFLICTING, check=False)
    conflicted = _unmerged(world)
    world.repository.git("checkout", "-q", "--theirs", ".", check=False)
    world.repository.git("add", "-A")
    return conflicted


@git_kind
def git_rebase_conflict(world: World, target: Target) -> Target | None:
    world.repository.git("checkout", "-q", "--detach", MAIN)
    world.repository.git("rebase", "-q", CONFLICTING, check=False)
    return _unmerged(world)


@git_kind
def git_rebase_onto_side(world: World, target: Target) -> Target | None:
    changed = _named(world, "diff", "--name-only", "-z", MAIN, SIDE)
    world.repository.git("checkout", "-q", "--detach", MAIN)
    world.repository.git("rebase", "-q", SIDE, check=False)
    return _one_of(world, changed) or target


@git_kind
def git_rebase_conflict_then_abort(world: World, target: Target) -> Target | None:
    world.repository.git("checkout", "-q", "--detach", MAIN)
    world.repository.git("rebase", "-q", CONFLICTING, check=False)
    conflicted = _unmerged(world)
    world.repository.git("rebase", "--abort", check=False)
    return conflicted


@git_kind
def git_cherry_pick_conflict(world: World, target: Target) -> Target | None:
    world.repository.git("cherry-pick", f"{CONFLICTING}~1", check=False)
    return _unmerged(world)


@git_kind
def git_revert_conflict(world: World, target: Target) -> Target | None:
    world.repository.git("checkout", "-q", "--detach", MAIN)
    world.repository.git("revert", "--no-edit", f"{CONFLICTING}~1", check=False)
    return _unmerged(world)


@git_kind
def git_commit_of_an_edit(world: World, target: Target) -> Target | None:
    if not _edit(world, target):
        return None
    _take_back_later(world)
    world.repository.git("commit", "-qam", "an edit", check=False)
    return target


@git_kind
def git_empty_commit(world: World, target: Target) -> Target | None:
    _take_back_later(world)
    world.repository.git("commit", "-q", "--allow-empty", "-m", "nothing")
    return target


@git_kind
def git_mv(world: World, target: Target) -> Target | None:
    if not world.is_file(target.path):
        return None
    world.repository.git("mv", target.path, target.path + b".moved.py", check=False)
    return target


@git_kind
def git_rm(world: World, target: Target) -> Target | None:
    world.repository.git("rm", "-q", "-f", "--", target.path, check=False)
    return target


@git_kind
def git_rm_cached(world: World, target: Target) -> Target | None:
    """Untracked from now on, but on disk as before."""
    world.repository.git("rm", "-q", "-f", "--cached", "--", target.path, check=False)
    return target


@git_kind
def git_index_of_yesterday(world: World, target: Target) -> Target | None:
    """The index file is put back from a copy made on another branch."""
    world.repository.git("checkout", "-q", SIDE)
    old = (world.repository.git_dir / "index").read_bytes()
    world.repository.git("checkout", "-q", MAIN)
    (world.repository.git_dir / "index").write_bytes(old)
    return target


@git_kind
def git_index_during_a_merge(world: World, target: Target) -> Target | None:
    """A conflict whose index is overwritten by the one from before: the merge is still under way."""
    before = (world.repository.git_dir / "index").read_bytes()
    world.repository.git("merge", "-q", CONFLICTING, check=False)
    conflicted = _unmerged(world)
    (world.repository.git_dir / "index").write_bytes(before)
    return conflicted


@git_kind
def git_index_lock_left(world: World, target: Target) -> Target | None:
    """Somebody's git died; its lock stands in the way of every write."""
    lock = world.repository.git_dir / "index.lock"
    lock.write_bytes(b"")
    world.undo = lambda: lock.unlink(missing_ok=True)
    return target if _edit(world, target) else None


@git_kind
def git_skip_worktree_edit(world: World, target: Target) -> Target | None:
    if not world.is_file(target.path):
        return None
    flag = world.rng.choice(("skip-worktree", "assume-unchanged"))
    world.repository.git("update-index", f"--{flag}", "--", target.path, check=False)

    def undo() -> None:
        world.repository.git("update-index", f"--no-{flag}", "--", target.path, check=False)

    world.undo = undo
    return target if _edit(world, target) else None


@git_kind
def git_folder_gone(world: World, target: Target) -> Target | None:
    """The repository is not a repository for a moment."""
    folder, aside = world.repository.git_dir, world.outside / "git-aside"
    os.rename(folder, aside)

    def undo() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(aside, folder)

    world.undo = undo
    return target if _edit(world, target) else None


@git_kind
def git_references_packed(world: World, target: Target) -> Target | None:
    world.repository.git("pack-refs", "--all")
    return target


@git_kind
def git_shallow_boundary(world: World, target: Target) -> Target | None:
    """The clone was cut here: what git says of the boundary commit is nobody's last change."""
    cut = world.rng.choice((MAIN, f"{MAIN}~1", f"{MAIN}~2"))
    place = world.repository.git_dir / "shallow"
    place.write_bytes(world.repository.git("rev-parse", cut))
    world.undo = lambda: place.unlink(missing_ok=True)
    return target


@git_kind
def git_bisect(world: World, target: Target) -> Target | None:
    world.repository.git("bisect", "start", MAIN, f"{MAIN}~3", check=False)
    return target if world.is_file(target.path) else None


@git_kind
def documented_signature_changed_alone(world: World, target: Target) -> Target | None:
    """A function that a document describes takes another parameter: the document is flagged."""
    return _documented(world, with_document=False)


@git_kind
def documented_signature_changed_with_its_document(world: World, target: Target) -> Target | None:
    """The document follows in the same commit: it is not flagged."""
    return _documented(world, with_document=True)


def _documented(world: World, *, with_document: bool) -> Target:
    _take_back_later(world)
    number = world.rng.randrange(10**6)
    name = f"bench_documented_{number}"
    code, document = f"{name}.py".encode(), f"{name}.md".encode()

    def commit(parameters: str, *, follows: bool) -> None:
        with open(world.absolute(code), "w", encoding="utf-8") as file:
            file.write(f"def {name}({parameters}):\n    return first\n")
        if follows:
            with open(world.absolute(document), "w", encoding="utf-8") as file:
                file.write(f"# Numbers\n\n`{name}({parameters})` returns its first number, {number}.\n")
        world.repository.git("add", "--", code, document)
        world.repository.git("commit", "-q", "-m", f"Make {name} take {parameters}")

    commit("first, second", follows=True)
    world.level()
    commit("first, second, third", follows=with_document)
    world.level(0.5)

    def check(packet: Mapping[str, Any]) -> list[tuple[str, str]]:
        source_id = document.decode()
        flagged = [item for item in packet["stale_risk"] if item["source_id"] == source_id]
        flagged = [item for item in flagged if item["reason"] == "outdated_doc"]
        sure = [item for item in packet["verified"] if item["source_id"] == source_id]
        if with_document:
            return [("wrong_flag", f"{source_id} followed its code, and is flagged")] if flagged else []
        return [("wrong_flag", f"{source_id} was left behind, and is verified")] if sure else []

    world.check = check
    return Target(document, 1, 3, name)
