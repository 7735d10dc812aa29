"""Run git: hardened, bytes in and out, with a timeout, and without leftover processes.

Every call disables what a repository's own configuration could start. Short answers come through subprocess, which is
on the path of every command; long ones, as histories, through GitPython, which takes a while to load. Its repository
objects are not used: they keep processes and run programs that a repository names.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn, Self

from helix_core.errors import GitError

TIMEOUT_SECONDS = 30.0
_NO_WORK_TREE = ("not a git repository (or any", "must be run in a work tree", "cannot use bare repository")
_CHUNK_BYTES = 1 << 18
_STOP_LOOK_S = 0.05
_SETTINGS = (
    "advice.graftFileDeprecated=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.alternateRefsCommand=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.quotePath=false",
    "credential.helper=",
    "diff.external=",
    "diff.ignoreSubmodules=all",
    "diff.submodule=short",
    "diff.trustExitCode=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "status.submoduleSummary=false",
    "submodule.recurse=false",
)
# --config-env came with GIT_CONFIG_COUNT (git 2.31): an older git, which would ignore our
# filter overrides, refuses the whole call instead.
_FLAGS = (
    "--no-optional-locks",
    "--no-replace-objects",
    "--no-pager",
    "--literal-pathspecs",
    "--config-env=core.fsmonitor=HELIX_FSMONITOR",
    *(part for setting in _SETTINGS for part in ("-c", setting)),
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "HELIX_FSMONITOR": "false",
    "LANGUAGE": "C",
    "LC_ALL": "C",
}
_OVERRIDES = {"clean": "", "smudge": "", "process": "", "required": "false"}


class Git:
    """git as seen from one folder of a work tree.

    ``top`` is the work tree's root, ``prefix`` the folder's path below it with a trailing ``/`` (empty at the root),
    ``git_dir`` and ``common_dir`` the state folders of this work tree and of the repository (raw bytes). ``problem`` is
    empty, or why git cannot be used in this folder: then every call raises ``GitError`` with it.
    """

    def __init__(self, root: Path, problem: str = "") -> None:
        self.root = root
        self.problem = problem
        self.top = self.git_dir = self.common_dir = os.fsencode(root)
        self.prefix = b""
        self._filters: tuple[bytes, ...] | None = None

    @classmethod
    def open(cls, root: Path) -> Self | None:
        """Return git for folder ``root``; None when no work tree encloses it. Never raises: ``problem`` has the
        error.
        """
        root = Path(os.path.realpath(root))
        if not any(os.path.lexists(folder / ".git") for folder in (root, *root.parents)):
            return None
        git = cls(root)
        try:
            git._locate()
        except GitError as error:
            if any(phrase in str(error) for phrase in _NO_WORK_TREE):
                return None
            git.problem = str(error)
        return git

    def run(
        self,
        arguments: Sequence[str | bytes],
        *,
        stdin: bytes | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        accepted: frozenset[int] = frozenset({0}),
        fresh_filters: bool = False,
        needs_filters: bool = True,
        stopped: threading.Event | None = None,
    ) -> bytes:
        """Run ``git <arguments>`` in the folder and return its standard output.

        Args:
            arguments: The subcommand and what follows.
            stdin: What git reads.
            timeout_seconds: Wall time after which git is ended.
            accepted: The exit statuses that are no error.
            fresh_filters: Read the configured filters again: for commands that would run one.
            needs_filters: False for a command that reads no file of the work tree, so that no filter is to be disabled.
            stopped: An event that ends git like a timeout.

        Raises:
            GitError: Any status not in ``accepted``, a timeout, or git cannot be started.
        """
        if self.problem:
            raise GitError(self.problem)
        filters = self._filter_names(fresh_filters) if needs_filters else ()
        return self._run(arguments, stdin, timeout_seconds, accepted, filters, stopped=stopped)

    def project(self) -> bytes:
        """Return what names the folder's project in every clone: the first commit on HEAD's first-parent chain, and the
        folder's path in the work tree. Empty before the first commit, and in a shallow clone, which lacks it.

        Raises:
            GitError: git failed, or took too long.
        """
        if os.path.exists(self.common_dir + b"/shallow"):
            return b""
        chain = ("rev-list", "--first-parent", "--max-parents=0", "HEAD")
        first = self.run(chain, accepted=frozenset({0, 128})).strip()
        return first + b"\0" + self.prefix if first else b""

    @contextlib.contextmanager
    def stream(self, arguments: Sequence[str | bytes], *, timeout_seconds: float) -> Iterator[Iterator[bytes]]:
        """Yield the output in pieces as it arrives; leaving the block ends the process.

        After ``timeout_seconds`` the output just ends. Raises ``GitError`` when git fails by itself.
        """
        if self.problem:
            raise GitError(self.problem)
        process = _start_streaming(self.root, arguments, self._filter_names(False))
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            _kill(process)

        timer = threading.Timer(timeout_seconds, expire)
        complaint: list[bytes] = []
        drain = threading.Thread(target=lambda: complaint.append(process.stderr.read() if process.stderr else b""))
        timer.start()
        drain.start()
        exhausted = False

        def pieces() -> Iterator[bytes]:
            nonlocal exhausted
            while process.stdout and (piece := os.read(process.stdout.fileno(), _CHUNK_BYTES)):
                yield piece
            exhausted = True

        try:
            yield pieces()
            if not exhausted:
                return
            status = process.wait()
            drain.join()
            if status != 0 and not expired.is_set():
                _fail(arguments, status, complaint[0])
        finally:
            timer.cancel()
            _kill(process)
            process.wait()
            drain.join()
            timer.join()
            for pipe in (process.stdout, process.stderr):
                if pipe:
                    pipe.close()

    def start(self, arguments: Sequence[str | bytes]) -> subprocess.Popen[bytes]:
        """Start a long-running git to be used through its pipes; the caller calls ``end``. Raises ``GitError``."""
        if self.problem:
            raise GitError(self.problem)
        return _start(self.root, arguments, self._filter_names(False), stdin=True)

    @staticmethod
    def end(process: subprocess.Popen[bytes]) -> None:
        """Kill a process that ``start`` began."""
        _kill(process)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _run(
        self,
        arguments: Sequence[str | bytes],
        stdin: bytes | None,
        timeout_seconds: float,
        accepted: frozenset[int],
        filters: tuple[bytes, ...],
        *,
        stopped: threading.Event | None = None,
    ) -> bytes:
        process = _start(self.root, arguments, filters, stdin=stdin is not None)
        try:
            output, complaint = _communicated(process, stdin, timeout_seconds, stopped)
        except BaseException as error:
            _kill(process)
            with process:  # closes what was not written to, too
                process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                message = f"git {_verb(arguments)} took over {timeout_seconds:g} s; its facts are left out"
                raise GitError(message) from error
            raise
        if process.returncode not in accepted:
            _fail(arguments, process.returncode, complaint)
        return bytes(output)

    def configuration(self) -> list[tuple[bytes, bytes]]:
        """Return the effective configuration: of each entry its origin (``file:PATH``, ``command line:`` …), and its
        name, with a newline and its value where it has one. Later calls disable the filters that it names.

        Raises:
            GitError: git failed, or took too long.
        """
        if self.problem:
            raise GitError(self.problem)
        # Listing them starts nothing.
        parts = self._run(["config", "-z", "--show-origin", "--list"], None, TIMEOUT_SECONDS, frozenset({0}), ())
        told = parts.split(b"\0")
        entries = list(zip(told[::2], told[1::2], strict=False))
        keys = (entry.partition(b"\n")[0] for _, entry in entries)
        names = {key.rpartition(b".")[0] for key in keys if key.startswith(b"filter.") and key.count(b".") > 1}
        self._filters = tuple(sorted(names))
        return entries

    def _filter_names(self, fresh: bool) -> tuple[bytes, ...]:
        """Return the filters that the effective configuration names."""
        if self._filters is None or fresh:
            self.configuration()
        return self._filters or ()

    def _locate(self) -> None:
        questions = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-prefix")
        answers = self._ask(*questions).split(b"\n")
        if len(answers) != len(questions):
            answers = [self._ask(question) for question in questions]
        self.top, self.git_dir, self.common_dir, self.prefix = answers

    def _ask(self, *questions: str) -> bytes:
        arguments = ("rev-parse", "--path-format=absolute", *questions)
        return self._run(arguments, None, TIMEOUT_SECONDS, frozenset({0}), ()).removesuffix(b"\n")


def _start(
    root: Path, arguments: Sequence[str | bytes], filters: tuple[bytes, ...], *, stdin: bool
) -> subprocess.Popen[bytes]:
    command = [_executable(os.environ.get("PATH", os.defpath)), *_FLAGS, "-C", root, *arguments]
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**_inherited(), **_ENVIRONMENT, **_filter_overrides(filters)},
            start_new_session=True,
        )
    except OSError as error:
        raise GitError(f"git cannot be started ({error.strerror}); mend or reinstall it to get its facts") from error


def _start_streaming(
    root: Path, arguments: Sequence[str | bytes], filters: tuple[bytes, ...]
) -> subprocess.Popen[bytes]:
    """Start git by GitPython, which passes the whole environment on: ``env`` drops what ``_inherited`` leaves out.

    Raises:
        GitError: git, or GitPython without it, cannot be started.
    """
    environment = {**_ENVIRONMENT, **_filter_overrides(filters)}
    dropped = os.environ.keys() - _inherited().keys() - environment.keys()
    without = ["/usr/bin/env", *(part for name in sorted(dropped) for part in ("-u", name))] if dropped else []
    command = [*without, _executable(os.environ.get("PATH", os.defpath)), *_FLAGS, "-C", os.fspath(root)]
    try:
        from git.cmd import Git as GitProcess
        from git.exc import GitCommandNotFound
    except ImportError as error:
        raise GitError("git cannot be run; install git to get its facts") from error
    try:
        started = GitProcess().execute(
            [*command, *map(os.fsdecode, arguments)], as_process=True, env=environment, start_new_session=True
        )
    except (GitCommandNotFound, OSError) as error:
        raise GitError("git cannot be started; mend or reinstall it to get its facts") from error
    process = started.proc
    started.proc = None  # reaping is ours from here on
    assert process is not None
    return process


def _inherited() -> dict[str, str]:
    """Return the parent's environment without its ``GIT_*``, which could name another repository or a program."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def _communicated(
    process: subprocess.Popen[bytes], stdin: bytes | None, timeout_seconds: float, stopped: threading.Event | None
) -> tuple[bytes, bytes]:
    """Return the process's output; raises ``TimeoutExpired`` on a timeout, or when ``stopped`` is set."""
    if stopped is None:
        return process.communicate(stdin, timeout=timeout_seconds)
    # communicate() writes nothing more once it has timed out, so the input is not its own to write.
    pipe, process.stdin = process.stdin, None
    writer = threading.Thread(target=_write_all, args=(pipe, stdin or b""), name="helix-git-input", daemon=True)
    writer.start()
    deadline = time.monotonic() + timeout_seconds
    try:
        while True:
            try:
                return process.communicate(timeout=_STOP_LOOK_S)
            except subprocess.TimeoutExpired:
                if stopped.is_set() or time.monotonic() > deadline:
                    raise
    except BaseException:
        _kill(process)  # without a reader the writer ends
        raise
    finally:
        writer.join()


def _write_all(pipe: IO[bytes] | None, data: bytes) -> None:
    """Write the data and close the pipe, whose reader may have ended."""
    if pipe is not None:
        with contextlib.suppress(BrokenPipeError), pipe:
            pipe.write(data)


def _filter_overrides(filters: tuple[bytes, ...]) -> Mapping[str, str]:
    """Return environment variables that disable each filter; unlike ``-c`` they allow any name, also one with ``=``."""
    pairs = [(f"{os.fsdecode(name)}.{key}", value) for name in filters for key, value in _OVERRIDES.items()]
    environment = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (key, value) in enumerate(pairs):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment


@functools.cache
def _executable(search_path: str) -> str:
    """Return git's full path: a relative entry of PATH could find a program in the repository."""
    folders = os.pathsep.join(folder for folder in search_path.split(os.pathsep) if os.path.isabs(folder))
    found = shutil.which("git", path=folders)
    if found is None:
        raise GitError("git is not installed; install it to get its facts")
    return found


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill git and its child processes: they share a session of their own."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _fail(arguments: Sequence[str | bytes], status: int, complaint: bytes) -> NoReturn:
    lines = complaint.decode("utf-8", "replace").strip().splitlines() or [f"status {status}"]
    text = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])
    if "dubious ownership" in text:
        raise GitError("git refuses a repository of another user; add it to git's safe.directory if you trust it")
    raise GitError(f"git {_verb(arguments)} failed: {text.removeprefix('fatal: ')}")


def _verb(arguments: Sequence[str | bytes]) -> str:
    return os.fsdecode(arguments[0])
