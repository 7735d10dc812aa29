"""THE matcher: which files of a workspace count, and why the others do not.

Inside a work tree git itself decides (tracked, or untracked and not ignored), elsewhere ``.gitignore`` files and the
usual cache folders do. Then the never-read list, ``.helixignore`` files and the size have their say. Names and
stats only: what the bytes say is ``content_reason``, asked by whoever reads them.
"""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from helix_core.errors import GitError
from helix_core.model import FileEntry, Listing, Reason, Skipped
from helix_core.workspace.content import content_reason
from helix_core.workspace.disk import MAX_BYTES, DiskError, Root, Scan, signature_of
from helix_core.workspace.git import Git
from helix_core.workspace.ignore import MAX_RULES_BYTES, Rules, RuleTree, parse_rules, rules_of
from helix_core.workspace.private import is_private
from helix_core.workspace.tracked import Named, names_in
from helix_core.workspace.walk import Walked, walk, walk_only

__all__ = ["FileOptions", "content_reason", "ignored_files", "list_files", "name_reason"]

HELIXIGNORE = b".helixignore"
_BINARY = frozenset(
    b"png jpg jpeg gif bmp ico icns webp tif tiff psd heic avif pdf doc docx xls xlsx ppt pptx odt ods zip gz tgz bz2 "
    b"xz zst 7z rar jar war ear whl egg pyc pyo pyd so dylib dll exe o a lib class wasm woff woff2 ttf otf eot mp3 "
    b"mp4 m4a ogg oga ogv flac wav avi mov mkv webm sqlite sqlite3 mo npy npz parquet pt pth onnx "
    b"safetensors gguf".split()
)


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What the user may set: the size limit, and ``.helixignore`` lines that hold at the root."""

    max_bytes: int = MAX_BYTES
    helixignore: tuple[str, ...] = ()


def name_reason(path: bytes, size_bytes: int = 0, options: FileOptions = FileOptions()) -> str:
    """Why ``path`` does not count by its name and size alone: ``private``, ``binary``, ``too_large``, or ``""``."""
    if is_private(path):
        return "private"
    stem, _, extension = path.rpartition(b".")
    if stem and extension.lower() in _BINARY:
        return "binary"
    return "too_large" if size_bytes > options.max_bytes else ""


def list_files(
    root: Root, git: Git | None, options: FileOptions = FileOptions(), only: Sequence[bytes] = ()
) -> Listing:
    """The files of ``root`` that count now, in byte order, with their signatures; and those that do not, with a reason.

    ``only`` asks about these paths (or folders) and no others; files git ignores are told by ``ignored_files``.
    """
    with root.scan() as scan:
        found, source = _found(scan, git, _with_rule_files(only))
        return _judge(scan, found, source, options, only)


def ignored_files(root: Root, git: Git | None) -> tuple[Skipped, ...]:
    """What git (or the walk) ignores, whole folders named once with a trailing ``/``."""
    if git is not None and not git.problem:
        try:
            listing = git.run(
                ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory"]
            )
        except GitError:
            return ignored_files(root, None)
        return tuple(Skipped(path, "ignored") for path in sorted(listing.split(b"\0")) if path)
    with root.scan() as scan:
        return tuple(sorted((one for one in walk(scan).skipped if one.reason == "ignored"), key=lambda one: one.path))


def _found(scan: Scan, git: Git | None, only: Sequence[bytes]) -> tuple[Walked, str]:
    """Everything that git, or a walk, lets through, and which of the two it was."""
    if git is None:
        return _walked(scan, only), "walk"
    try:
        named = names_in(git, only)
    except GitError as error:
        found = _walked(scan, only)
        found.notes.append(f"{error} (files were found without git)")
        return found, "walk"
    if git.prefix and not named.paths and not (only and names_in(git).paths):
        # A folder opened on purpose inside one that git ignores: to answer with nothing would help nobody.
        found = _walked(scan, only)
        found.notes += ["git counts no file in this folder; these were found without git"] if found.files else []
        return found, "walk"
    found = _stat_all(scan, named)
    for folder in named.opaque:
        inner = walk(scan, folder)
        found.files += inner.files
        found.skipped += inner.skipped
    found.skipped += [Skipped(folder + b"/", "work_tree") for folder in named.twins]
    found.notes += [*named.notes]
    return found, "git"


def _walked(scan: Scan, only: Sequence[bytes]) -> Walked:
    return walk_only(scan, only) if only else walk(scan)


def _with_rule_files(only: Sequence[bytes]) -> list[bytes]:
    """``only``, and the ``.helixignore`` files of the folders above: they hold where they count themselves."""
    folders = {path[:at] for path in only for at in range(len(path)) if path[at : at + 1] == b"/"}
    return [*only, *(folder + b"/" + HELIXIGNORE for folder in sorted(folders))] if only else []


def _stat_all(scan: Scan, named: Named) -> Walked:
    """The names git gave, as they are on disk: a deleted file is simply not there."""
    found = Walked()
    files, skipped = found.files, found.skipped
    folder, descriptor = None, -1
    for path in sorted(named.paths):
        parent, _, name = path.rpartition(b"/")
        try:
            if parent != folder:
                folder, descriptor = None, scan.folder(parent)
                folder = parent
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except DiskError as error:
            if error.reason is not Reason.GONE:
                skipped.append(Skipped(path, "symlink" if error.reason is Reason.OUTSIDE_ROOT else error.reason.value))
            elif path in named.sparse:
                skipped.append(Skipped(path, "sparse"))
            continue
        except OSError as error:
            if path in named.sparse:
                skipped.append(Skipped(path, "sparse"))
            elif not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                skipped.append(Skipped(path, "unreadable"))
            continue
        mode = status.st_mode
        if modes.S_ISREG(mode):
            files.append(FileEntry(path, signature_of(status)))
        else:
            skipped.append(Skipped(path, "symlink" if modes.S_ISLNK(mode) else "not_a_file"))
    return found


def _judge(scan: Scan, found: Walked, source: str, options: FileOptions, only: Sequence[bytes]) -> Listing:
    """Names, ``.helixignore`` and sizes; of ``only``, where anything was asked about in particular."""
    rules = _helixignore(scan, found.files, options)
    files: list[FileEntry] = []
    skipped = found.skipped
    for file in found.files:
        reason = name_reason(file.path, file.signature.size_bytes, options)
        if reason != "private" and rules is not None and rules.ignores(file.path):
            reason = "helixignore"
        if reason:
            skipped.append(Skipped(file.path, reason))
        else:
            files.append(file)
    if only:
        wanted = frozenset(only)
        files = [file for file in files if _is_wanted(file.path, wanted)]
        skipped = [one for one in skipped if _is_wanted(one.path.removesuffix(b"/"), wanted)]
    return Listing(
        tuple(sorted(files, key=lambda file: file.path)),
        tuple(sorted(skipped, key=lambda one: one.path)),
        source,
        tuple(found.notes),
    )


def _is_wanted(path: bytes, wanted: Set[bytes]) -> bool:
    """Is ``path`` one of ``wanted``, or below one?"""
    while path not in wanted:
        path, slash, _ = path.rpartition(b"/")
        if not slash:
            return False
    return True


def _helixignore(scan: Scan, files: Iterable[FileEntry], options: FileOptions) -> RuleTree | None:
    """The ``.helixignore`` rules in force, None when there are none."""
    suffix = b"/" + HELIXIGNORE
    paths = {file.path for file in files if file.path.endswith(suffix)} | {HELIXIGNORE}
    found: dict[bytes, Rules] = {}
    for path in sorted(paths):
        try:
            found[path.rpartition(b"/")[0]] = parse_rules(scan.read(path, MAX_RULES_BYTES).data)
        except DiskError:
            continue
    if not found and not options.helixignore:
        return None
    everywhere = [os.fsencode(line).decode("latin-1") for line in options.helixignore]
    return RuleTree(rules_of(everywhere), found)
