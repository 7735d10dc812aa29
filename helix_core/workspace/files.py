"""The matcher: which files of a workspace count, and why the others are skipped.

The watcher, ingest, packets and the proxy share it. It combines git's own listing, ignore files, the list of private
names that are never read, and checks of a file's bytes (binary, minified, generated).
"""

from __future__ import annotations

import os
import re
import stat as modes
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Self

from helix_core.config import Config
from helix_core.errors import GitError, UsageError
from helix_core.lines import line_breaks
from helix_core.model import FileEntry, Listing, Reason, Skipped
from helix_core.printable import count
from helix_core.tuples import NamedTuple
from helix_core.workspace.disk import MAX_BYTES, DiskError, Root, Scan, signature_of
from helix_core.workspace.git import Git
from helix_core.workspace.ignore import (
    DEFAULT_SKIPS,
    MAX_RULES_BYTES,
    KeptFolders,
    PathGlobs,
    RuleTree,
    Walked,
    parse_rules,
    rules_of,
    walk,
    walk_only,
)
from helix_core.workspace.tracked import NamesThread, TrackedNames, names_in

_HEAD_BYTES = 8192
_MARKER_BYTES = 1024
MAX_LINES = 50_000
_MINIFIED_BYTES = 5000
_MINIFIED_MEAN = 500
_PROSE = (b".md", b".markdown", b".mdx", b".rst", b".txt", b".adoc", b".tex", b".org")
_LOCKS = frozenset(
    b"package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock poetry.lock pipfile.lock pdm.lock "
    b"uv.lock cargo.lock composer.lock gemfile.lock go.sum flake.lock mix.lock pubspec.lock podfile.lock "
    b"packages.lock.json".split()
)
_COMMENT = (b"#", b"//", b"/*", b"*", b"<!--", b"--", b";", b"%", b'"""', b"..", b"{#", b"(*")
_GENERATED = b"generated"
_HANDS_OFF = (b"@" + _GENERATED, b"do not edit", b"do not modify")
_KEY_OPENING = b"-----BEGIN "
_KEY_MARK = b"PRIVATE KEY"


def content_reason(path: bytes, data: bytes) -> str:
    """Return why these bytes do not count: ``binary``, ``minified``, ``generated``, ``too_large``, ``private``, or
    "".
    """
    head = data[:_HEAD_BYTES]
    if b"\0" in head:
        return "binary"
    if _is_private_key(head):
        return "private"
    name = path.rpartition(b"/")[2].lower()
    if name in _LOCKS or _says_generated(head[:_MARKER_BYTES]):
        return "generated"
    if b".min." in name or _is_minified(name, data):
        return "minified"
    return "too_large" if line_breaks(data) > MAX_LINES else ""


def _is_private_key(head: bytes) -> bool:
    """Return whether the file *is* a key (PEM, RFC 7468, or OpenPGP armor); one that quotes a key is left to
    masking.
    """
    opening, _, _ = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if opening.startswith(_KEY_OPENING) and opening.rstrip().endswith(b"-----"):
        return _KEY_MARK in head
    return False


def _says_generated(head: bytes) -> bool:
    """Return whether a comment near the top has the tag, or both words, that generators write."""
    for line in head.splitlines()[:15]:
        text = line.strip().lower()
        if text.startswith(_COMMENT) and _GENERATED in text and any(words in text for words in _HANDS_OFF):
            return True
    return False


def _is_minified(name: bytes, data: bytes) -> bool:
    """Return whether lines average over 500 bytes and the longest exceeds 5,000. Prose may have long paragraphs."""
    if len(data) < _MINIFIED_BYTES or len(data) < _MINIFIED_MEAN * (line_breaks(data) + 1):
        return False
    if name.endswith(_PROSE):
        return False
    return max(map(len, data.splitlines())) > _MINIFIED_BYTES


_FOLDERS = frozenset({b".git", b".hg", b".svn", b".jj", b".helix", b".ssh", b".gnupg", b".password-store"})
_NAMES = frozenset(
    b".netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .git-credentials .htpasswd .htdigest .dockercfg .s3cfg "
    b".boto .terraformrc terraform.rc .vault-token .envrc .env kubeconfig credentials.json "
    b"application_default_credentials.json id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk "
    b"wallet.dat "
    b".bash_history .zsh_history .sh_history .python_history .psql_history .mysql_history .sqlite_history "
    b".node_repl_history .irb_history .rediscli_history .git".split()
)
_EXTENSIONS = frozenset(
    b"key ppk p12 pfx p8 jks keystore bks truststore kdbx kdb keychain keychain-db ovpn kubeconfig tfstate tfvars "
    b"agekey env".split()
)
_BELOW = (
    (b".aws", frozenset({b"credentials", b"config"})),
    (b".docker", frozenset({b"config.json"})),
    (b".kube", frozenset({b"config"})),
    (b".cargo", frozenset({b"credentials", b"credentials.toml"})),
    (b".gem", frozenset({b"credentials"})),
    (b".composer", frozenset({b"auth.json"})),
    (b".m2", frozenset({b"settings.xml", b"settings-security.xml"})),
    (b".gradle", frozenset({b"gradle.properties"})),
    (b".streamlit", frozenset({b"secrets.toml"})),
    (b"gh", frozenset({b"hosts.yml"})),
    (b"gcloud", frozenset({b"credentials.db", b"access_tokens.db", b"legacy_credentials"})),
    (b".azure", frozenset({b"accesstokens.json", b"msal_token_cache.json", b"azureprofile.json"})),
)
_PREFIXES = (b"client_secret", b"service-account", b"service_account")
_BELOW_NAMES = frozenset(name for _, names in _BELOW for name in names)
_PATTERNS_FOR = (b"example", b"sample", b"template", b"tmpl", b"dist", b"defaults")
_DOTTED_FOLDERS = tuple(b"/" + name + b"/" for name in sorted(_FOLDERS))


def is_private(path: bytes) -> bool:
    """Return whether the file at ``path`` must never be opened."""
    folded = path.lower()
    # Each of the folders begins with a dot: most paths have no such part, and are not looked through for every one.
    if (b"/." in folded or folded.startswith(b".")) and any(folder in b"/" + folded for folder in _DOTTED_FOLDERS):
        return True
    name = folded.rpartition(b"/")[2]
    if name in _NAMES:
        return True
    stem, dot, extension = name.rpartition(b".")
    if name.startswith(b".env."):
        return extension not in _PATTERNS_FOR
    if dot and extension in _EXTENSIONS:
        return stem.rpartition(b".")[2] not in _PATTERNS_FOR
    if dot and extension == b"backup" and stem.endswith(b".tfstate"):
        return True
    if extension == b"json" and name.startswith(_PREFIXES):
        return True
    return name in _BELOW_NAMES and _is_below(folded, name)


def _is_below(folded: bytes, name: bytes) -> bool:
    folder = folded.rpartition(b"/")[0].rpartition(b"/")[2]
    return any(folder == parent and name in names for parent, names in _BELOW)


HELIXIGNORE = b".helixignore"
NOT_INCLUDED, OVER_LIMIT = "not_included", "over_limit"
"""Why a file does not count that ``index.include`` does not name, and one beyond ``index.max_files``."""
_BINARY = frozenset(
    b"png jpg jpeg gif bmp ico icns webp tif tiff psd heic avif pdf doc docx xls xlsx ppt pptx odt ods zip gz tgz bz2 "
    b"xz zst 7z rar jar war ear whl egg pyc pyo pyd so dylib dll exe o a lib class wasm woff woff2 ttf otf eot mp3 "
    b"mp4 m4a ogg oga ogv flac wav avi mov mkv webm sqlite sqlite3 mo npy npz parquet pt pth onnx "
    b"safetensors gguf".split()
)
_PATTERNS_NAMED = 5
_OWN_NAMES = (b"index.db", b"memory.db", b"trail.db", b"helix-")


def _is_own_file(name: bytes) -> bool:
    """Return whether a file has the name of a database of Helix, which costs this process its locks to open, or of a
    file of a daemon, in whatever folder.
    """
    return name.startswith(_OWN_NAMES) and _own_names().fullmatch(name) is not None


@cache
def _own_names() -> re.Pattern[bytes]:
    return re.compile(
        rb"(?:index|memory|trail)\.db(?:[-.].*)?"
        rb"|helix-(?:serve-\d+|\d+-\d+\..*)\.(?:json|log|lock|sock|in-hand|token|starting)",
        re.DOTALL,
    )


class FileOptions(NamedTuple):
    """User settings: the size limit, additional ``.helixignore`` lines that apply at the root, files and folders that
    no rule takes in again, globs of the only files that count (none: all), and the most files (0: no limit).
    """

    max_bytes: int = MAX_BYTES
    helixignore: tuple[str, ...] = ()
    never: frozenset[bytes] = frozenset()
    include: tuple[str, ...] = ()
    max_files: int = 0

    @classmethod
    def of(cls, config: Config, root: Path, flagged: Iterable[bytes] = ()) -> Self:
        """Return the options of the settings for the workspace at the real path ``root``; ``flagged`` counts nowhere.

        Neither does what Helix itself writes. It would index its own index, and reading a database outside SQLite ends
        every lock that the process holds on it (fcntl(2), "Record locking"): another process may then write into it.
        """
        never = _own_files(config.own_paths, root).union(flagged)
        return cls(config.max_file_bytes, config.exclude, never, config.include, config.max_files)


_PLAIN = FileOptions()


@lru_cache(64)
def _own_files(own_paths: tuple[Path, ...], root: Path) -> frozenset[bytes]:
    """Return those of the real paths that are below ``root``, relative to it; each answer asks for them."""
    return frozenset(os.fsencode(one.relative_to(root)) for one in own_paths if root in one.parents)


def name_reason(path: bytes, size_bytes: int = 0, options: FileOptions = _PLAIN) -> str:
    """Return why ``path`` does not count by its name and size alone: ``private``, ``binary``, ``too_large``, or ""."""
    if is_private(path):
        return "private"
    stem, _, extension = path.rpartition(b".")
    if stem and (extension.lower() in _BINARY or _is_own_file(path.rpartition(b"/")[2])):
        return "binary"
    return "too_large" if size_bytes > options.max_bytes else ""


def list_files(
    root: Root,
    git: Git | None,
    options: FileOptions = _PLAIN,
    only: Sequence[bytes] = (),
    *,
    expected: Iterable[bytes] = (),
    last: LastListing | None = None,
) -> Listing:
    """Return the files that count now, in byte order, with their signatures; and those that do not, with a reason.

    ``ignored_files`` lists the files that git ignores.

    Args:
        root: The workspace.
        git: Its repository; None without one.
        options: Which files count. The most files of ``options`` are those of a whole listing: which they are cannot
            be told from ``only`` a part.
        only: These paths (or folders) alone; empty for all.
        expected: Paths that a whole listing looks at while git makes it; they change nothing else.
        last: The whole listing of the same folder before this one, which is returned again where nothing differs, and
            replaced where something does.
    """
    with root.scan() as scan:
        found, source = _found(scan, git, _with_rule_files(only), last, expected)
        rules = _helixignore(scan, found.files)
    if only:
        return _judge(found, source, options, rules, only)
    seen: _Seen = (source, options, rules, tuple(found.files), tuple(found.skipped), tuple(found.notes))
    if last is not None and last.listing is not None and last.seen == seen:
        return last.listing
    listing = _judge(found, source, options, rules, only)
    if options.max_files:
        listing = _limited(listing, options.max_files)
    if last is not None:
        last.seen, last.listing = seen, listing
    return listing


_Seen = tuple[str, FileOptions, dict[bytes, bytes], tuple[FileEntry, ...], tuple[Skipped, ...], tuple[str, ...]]


@dataclass(slots=True)
class LastListing:
    """A whole listing, and all that it was made of: None before the first; and what a walk found in each folder."""

    seen: _Seen | None = None
    listing: Listing | None = None
    folders: KeptFolders = field(default_factory=KeptFolders)

    def paths(self) -> tuple[bytes, ...]:
        """Return the paths of all files that were there, in order."""
        return tuple(entry.path for entry in self.seen[3]) if self.seen is not None else ()


def _limited(listing: Listing, most: int) -> Listing:
    """Return the listing with its ``most`` files in the fewest folders, in byte order; the others are skipped."""
    over = sorted(listing.files, key=lambda file: (file.path.count(b"/"), file.path))[most:]
    if not over:
        return listing
    left_out = {file.path for file in over}
    skipped = (*listing.skipped, *(Skipped(path, OVER_LIMIT) for path in left_out))
    return listing._replace(
        files=tuple(file for file in listing.files if file.path not in left_out),
        skipped=tuple(sorted(skipped, key=lambda one: one.path)),
        notes=(*listing.notes, limit_note(len(over), most)),
    )


def limit_note(over: int, most: int) -> str:
    """Say how many files are left out because ``index.max_files`` is ``most``."""
    left_out = f"{count(over, 'file')} {'is' if over == 1 else 'are'} left out and not searched"
    return f"{left_out}, because index.max_files is {most:,}; raise it, or choose files with index.include"


def include_note(outside: int) -> str:
    """Say how many files are not searched because ``index.include`` does not name them."""
    return f"{count(outside, 'file')} {'is' if outside == 1 else 'are'} outside index.include and not searched"


def pattern_notes(options: FileOptions) -> tuple[str, ...]:
    """Name the invalid patterns of ``index.include`` and ``index.exclude``, and say what becomes of them."""
    include = [glob for glob in options.include if not _is_glob(glob)]
    is_whole = len(include) == len(options.include)
    # A comment is a line of an ignore file too, and no mistake.
    lines = [line for line in options.helixignore if line.strip() and not line.startswith("#")]
    exclude = [line for line in lines if not rules_of([os.fsencode(line).decode("latin-1")]).rules]
    return (
        *_pattern_note("index.include", include, ", so that every file counts" if is_whole else ""),
        *_pattern_note("index.exclude", exclude, ""),
    )


def _pattern_note(setting: str, wrong: Sequence[str], effect: str) -> Iterator[str]:
    if wrong:
        named = ", ".join(f"{one[:80]!a}" for one in wrong[:_PATTERNS_NAMED])
        more = f" and {len(wrong) - _PATTERNS_NAMED:,} more" if len(wrong) > _PATTERNS_NAMED else ""
        is_one = len(wrong) == 1
        yield (
            f"{setting}: {named}{more} {'is no path pattern and is' if is_one else 'are no path patterns and are'} "
            f"ignored{effect}; write {'it' if is_one else 'them'} as in .gitignore, from the workspace folder: src/, "
            "*.py, docs/**/*.md"
        )


def _is_glob(glob: str) -> bool:
    try:
        PathGlobs([glob])
    except UsageError:
        return False
    return True


def _included(options: FileOptions) -> PathGlobs | None:
    """Return the globs of the only files that count; None for all."""
    sound = [glob for glob in options.include if _is_glob(glob)]
    return PathGlobs(sound) if sound else None


def would_count(root: Root, git: Git | None, options: FileOptions, paths: Iterable[bytes]) -> frozenset[bytes]:
    """Return those of ``paths`` that would count if there were such files: by their names, git's rules where it can
    say, and the ignore files above them.

    Args:
        root: The workspace.
        git: Its repository; None without one.
        options: Which files count.
        paths: Relative to the root; they need not exist.
    """
    named = [
        path
        for path in paths
        if not (name_reason(path) or _is_wanted(path, options.never) or DEFAULT_SKIPS.intersection(path.split(b"/")))
    ]
    folders = {path[:at] for path in named for at in range(len(path)) if path[at : at + 1] == b"/"} | {b""}
    is_git = git is not None and not git.problem
    rules = RuleTree(rules_of([os.fsencode(line).decode("latin-1") for line in options.helixignore]), {})
    included = _included(options)
    with root.scan() as scan:
        for folder in sorted(folders):
            for name in (HELIXIGNORE,) if is_git else (b".gitignore", HELIXIGNORE):
                with suppress(DiskError):
                    file = scan.read(folder + b"/" + name if folder else name, MAX_RULES_BYTES)
                    rules.add(folder, parse_rules(file.data))
    ignored = _ignored_by_git(git, named) if git is not None and is_git else frozenset()
    return frozenset(
        path
        for path in named
        if path not in ignored and not rules.ignores(path) and (included is None or included.mean(path))
    )


def _ignored_by_git(git: Git, paths: Sequence[bytes]) -> frozenset[bytes]:
    """Return those of ``paths`` that git's rules leave out, wherever they are; all where git cannot say."""
    # Not literal: check-ignore refuses that; with ``./`` no name is taken for pathspec magic.
    command = ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"]
    asked = b"".join(b"./" + path + b"\0" for path in paths)
    try:
        found = git.run(command, stdin=asked, accepted=frozenset({0, 1})) if paths else b""
    except GitError:
        return frozenset(paths)
    return frozenset(path.removeprefix(b"./") for path in found.split(b"\0") if path)


def ignored_files(root: Root, git: Git | None) -> tuple[Skipped, ...]:
    """Return what git (or the walk) ignores; a whole folder is one entry with a trailing ``/``."""
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


def _found(
    scan: Scan, git: Git | None, only: Sequence[bytes], last: LastListing | None, expected: Iterable[bytes]
) -> tuple[Walked, str]:
    """List every file that git, or else a walk, does not ignore, and name the source. The files of the ``last``
    listing, or else those that are ``expected``, are looked at meanwhile.
    """
    if git is None:
        return _walked(scan, only, last), "walk"
    seen: dict[bytes, FileEntry] = {}
    try:
        if only or not (paths := (last.paths() if last is not None else ()) or sorted(expected)):
            named = names_in(git, only)
        else:
            names = NamesThread(git)
            seen = _regular_files(scan, paths)
            named = names.result()
    except GitError as error:
        found = _walked(scan, only, last)
        found.notes.append(f"{error} (files were found without git)")
        return found, "walk"
    if git.prefix and not named.paths and not (only and names_in(git).paths):
        # A workspace root inside a folder that git ignores: index it, because the user opened it on purpose.
        found = _walked(scan, only, last)
        found.notes += ["git counts no file in this folder; these were found without git"] if found.files else []
        return found, "walk"
    found = _stat_all(scan, named, seen)
    for folder in named.opaque:
        inner = walk(scan, folder)
        found.files += inner.files
        found.skipped += inner.skipped
    found.skipped += [Skipped(folder + b"/", "work_tree") for folder in named.twins]
    found.notes += [*named.notes]
    return found, "git"


def _walked(scan: Scan, only: Sequence[bytes], last: LastListing | None) -> Walked:
    return walk_only(scan, only) if only else walk(scan, kept=last.folders if last is not None else None)


def _with_rule_files(only: Sequence[bytes]) -> list[bytes]:
    """Add the ``.helixignore`` files of the folders above, which apply if they count themselves."""
    folders = {path[:at] for path in only for at in range(len(path)) if path[at : at + 1] == b"/"}
    return [*only, *(folder + b"/" + HELIXIGNORE for folder in sorted(folders))] if only else []


def _regular_files(scan: Scan, paths: Iterable[bytes]) -> dict[bytes, FileEntry]:
    """Stat paths, in order, and return the regular files among them."""
    files: dict[bytes, FileEntry] = {}
    folder, descriptor = None, -1
    for path in paths:
        parent, _, name = path.rpartition(b"/")
        try:
            if parent != folder:
                folder, descriptor = None, scan.folder(parent)
                folder = parent
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except (DiskError, OSError):
            continue
        if modes.S_ISREG(status.st_mode):
            files[path] = FileEntry(path, signature_of(status))
    return files


def _stat_all(scan: Scan, named: TrackedNames, seen: Mapping[bytes, FileEntry]) -> Walked:
    """Stat the names that git listed, but for those ``seen`` already; deleted files are dropped.

    Folders that have a file which was seen are inside the root, and are not opened a second time.
    """
    found = Walked()
    files, skipped = found.files, found.skipped
    folder, descriptor, root = None, -1, scan.folder(b"")
    inside = {path.rpartition(b"/")[0] for path in seen}
    for path in sorted(named.paths):
        if (entry := seen.get(path)) is not None:
            files.append(entry)
            continue
        parent, _, name = path.rpartition(b"/")
        try:
            if parent in inside:
                status = os.stat(path, dir_fd=root, follow_symlinks=False)
            else:
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


def _judge(
    found: Walked, source: str, options: FileOptions, helixignore: Mapping[bytes, bytes], only: Sequence[bytes]
) -> Listing:
    """Apply names, ``.helixignore``, globs and sizes; to ``only`` where it is given."""
    rules = _rules(helixignore, options)
    included = _included(options)
    files: list[FileEntry] = []
    skipped = found.skipped
    for file in found.files:
        reason = name_reason(file.path, file.signature.size_bytes, options)
        is_ignored = rules is not None and rules.ignores(file.path)
        is_ignored = is_ignored or bool(options.never and _is_wanted(file.path, options.never))
        if reason != "private" and is_ignored:
            reason = "helixignore"
        if reason != "private" and not is_ignored and included is not None and not included.mean(file.path):
            reason = NOT_INCLUDED
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
        (*found.notes, *pattern_notes(options)),
    )


def _is_wanted(path: bytes, wanted: Set[bytes]) -> bool:
    """Return whether ``path`` is one of ``wanted``, or below one."""
    while path not in wanted:
        path, slash, _ = path.rpartition(b"/")
        if not slash:
            return False
    return True


def _helixignore(scan: Scan, files: Iterable[FileEntry]) -> dict[bytes, bytes]:
    """Return the bytes of the ``.helixignore`` files, by folder."""
    suffix = b"/" + HELIXIGNORE
    paths = {file.path for file in files if file.path.endswith(suffix)} | {HELIXIGNORE}
    found: dict[bytes, bytes] = {}
    for path in sorted(paths):
        with suppress(DiskError):
            found[path.rpartition(b"/")[0]] = scan.read(path, MAX_RULES_BYTES).data
    return found


def _rules(helixignore: Mapping[bytes, bytes], options: FileOptions) -> RuleTree | None:
    """Return the ``.helixignore`` rules in force, None when there are none."""
    if not helixignore and not options.helixignore:
        return None
    everywhere = [os.fsencode(line).decode("latin-1") for line in options.helixignore]
    return RuleTree(rules_of(everywhere), {folder: parse_rules(data) for folder, data in helixignore.items()})


__all__ = [
    "NOT_INCLUDED",
    "OVER_LIMIT",
    "FileOptions",
    "LastListing",
    "content_reason",
    "ignored_files",
    "include_note",
    "limit_note",
    "list_files",
    "name_reason",
    "pattern_notes",
    "would_count",
]
