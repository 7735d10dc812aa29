"""One request and its answer, and where the user's server is."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import Any, Literal

import httpx

from helix_core.errors import HelixError
from helix_ls.proxy.keys import admins_key, users_key
from helix_ls.proxy.running import found

WORKSPACE_HEADER = b"X-Helix-Workspace"


class SdkError(HelixError):
    """A request that was not answered. ``str(error)`` is one line: the cause, then the next action.

    Attributes:
        status: The HTTP status; 0 where the server did not answer.
        code: The server's word for the cause, such as ``invalid_api_key``; empty where there is none.
        cause: What is the matter.
        next_action: What to do about it.
        retry_after_s: Seconds to wait, where the server named them.
    """

    def __init__(self, cause: str, *, status: int = 0, code: str = "", retry_after_s: float | None = None) -> None:
        problem, _, action = cause.partition("; ")
        self.status, self.code, self.retry_after_s = status, code, retry_after_s
        self.cause = problem.rstrip(".")
        self.next_action = action or _next_action(status)
        super().__init__(f"{self.cause}; {self.next_action}")


def _next_action(status: int) -> str:
    """Return what to do where the server's sentence does not say it."""
    if 400 <= status < 500:
        return "correct what is named there"
    return "ask again later" if status else "start a server with: helix serve"


class Sender:
    """Sends requests to one server with one key. Each is sent once: nothing is tried again."""

    def __init__(self, url: str, key: str, workspace: str, timeout_s: float) -> None:
        headers = {b"Authorization": f"Bearer {key}".encode()}
        if workspace:
            # The server reads the name as UTF-8; given as a text it would have to be ASCII.
            headers[WORKSPACE_HEADER] = workspace.encode("utf-8", "surrogateescape")
        # A proxy of the environment is not asked for an address on this machine.
        self._client = httpx.Client(base_url=url, headers=headers, timeout=timeout_s, trust_env=False)

    def send(self, method: Literal["GET", "POST"], path: str, given: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON of the answer. A member of ``given`` that is None is left out. Raises SdkError."""
        body = None if given is None else {name: value for name, value in given.items() if value is not None}
        try:
            answer = self._client.request(method, path, json=body)
        except httpx.TimeoutException as error:
            raise SdkError("the server did not answer in time; ask again, or give timeout_s") from error
        except httpx.HTTPError as error:
            raise SdkError(f"no server answers at {self._client.base_url} ({type(error).__name__})") from error
        except (TypeError, ValueError) as error:
            raise SdkError(
                f"an argument is not valid JSON ({error}); give texts, numbers, lists and dictionaries"
            ) from error
        if not answer.is_success:
            raise refusal(answer)
        try:
            return answer.json()
        except ValueError as error:
            raise SdkError(
                "the answer is not valid JSON; give the address of a Helix server", status=answer.status_code
            ) from error

    def close(self) -> None:
        """Close the connections to the server."""
        self._client.close()


def refusal(answer: httpx.Response) -> SdkError:
    """Return the error of an answer that is no success, with the server's sentence where it has one."""
    wait = answer.headers.get("retry-after", "")
    retry_after_s = float(wait) if wait.isdecimal() else None
    try:
        error = answer.json()["error"]
        message, code = str(error["message"]), str(error["code"] or error["type"] or "")
    except (ValueError, KeyError, TypeError):
        message, code = f"the server answered with status {answer.status_code}", ""
    return SdkError(message, status=answer.status_code, code=code, retry_after_s=retry_after_s)


def address(folder: str | os.PathLike[str], *, admin: bool, environ: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the URL and the key as ``helix connect openai`` or ``admin`` prints them, and the folder's real path,
    which names its workspace. Raises SdkError where no server runs, or none that serves the folder.
    """
    workspace = os.path.realpath(folder)
    try:
        key = admins_key(environ) if admin else users_key(environ)
        running = found(environ, key, workspace)
    except HelixError as error:
        raise SdkError(str(error)) from error
    if workspace not in running.workspaces:
        raise SdkError(
            f"the running server does not serve {workspace}; serve it with: helix serve {shlex.quote(workspace)}"
        )
    return running.url, key, workspace
