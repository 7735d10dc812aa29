"""pygls' protocol with corrections: lifecycle checks, one response per request, and cancellation that stops the work.

In: message bodies. Out: messages to the writer. Each method documents where and why it differs from pygls. No exception
leaves ``receive``, no file path of Helix reaches a client, and nothing of a finished request is kept.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import re
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import cattrs
from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

from helix_ls.host.framing import framed
from helix_ls.host.log import LOG
from helix_ls.lsp import replies
from helix_ls.lsp.frames import MessageId, Notification, Refused, Request, Response, parse
from helix_ls.lsp.replies import RequestError, error_reply

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

log = LOG.getChild("session")

_WRONG_SHAPE = (
    cattrs.BaseValidationError,
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
# pygls prefers its built-in handlers, so those that Helix replaces are removed.
_REPLACED = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.WORKSPACE_EXECUTE_COMMAND,
)
_ESCAPES = re.compile(r"\\\\|\\ud[89ab]..\\ud[c-f]..|\\ud[89a-f]..", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class RunningRequest:
    """A request in progress. ``cancelled`` is polled by long work, from any thread."""

    id: MessageId
    method: str
    cancelled: threading.Event = field(default_factory=threading.Event)
    started: float = field(default_factory=time.monotonic)
    future: Future[Any] | asyncio.Future[Any] | None = None


@dataclass(frozen=True, slots=True)
class DidShowParams:
    """The params of ``helix/didShow``, which a client may send: the editor of this file is the active one now.

    A client may keep a document open that no editor shows, so ``didOpen`` alone does not tell of a file that is opened
    again.
    """

    uri: str


DID_SHOW = "helix/didShow"
_OWN_PARAMS = {DID_SHOW: DidShowParams}
"""The methods of clients that the standard does not have."""

running_request: contextvars.ContextVar[RunningRequest | None] = contextvars.ContextVar("running_request", default=None)


class HelixProtocol(LanguageServerProtocol):
    """The JSON-RPC protocol of one connection."""

    def __init__(self, server: LanguageServer, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        for method in _REPLACED:
            self.fm.builtin_features.pop(method, None)
        self._running: dict[MessageId, RunningRequest] = {}
        self._pending: dict[MessageId, Future[Any]] = {}
        self._is_initialized = False
        self.exit_code: int | None = None
        self.ended = asyncio.Event()

    def is_leaving(self) -> bool:
        """Return whether the client has sent shutdown or has disconnected."""
        return bool(self._shutdown) or self.ended.is_set()

    # Incoming messages

    def receive(self, body: bytes) -> bytes:
        """Handle one message; return the bytes behind it in its frame, which must be parsed again."""
        message, rest = parse(body)
        if isinstance(message, Request):
            self._receive_request(message)
        elif isinstance(message, Notification):
            self._receive_notification(message)
        elif isinstance(message, Response):
            self._receive_response(message)
        else:
            self.refuse(message)
        return rest

    def refuse(self, refused: Refused) -> None:
        """Answer an invalid message with an error; pygls stays silent, and the client waits forever."""
        log.warning("refused a message: %s", refused.message)
        if refused.to_answer:
            self._send_error(refused.id, {"code": refused.code, "message": refused.message})

    def _receive_request(self, request: Request) -> None:
        try:
            self._admit(request)
            handler = self._handler_of(request.method)
            params = self._structured(request.method, request.params)
        except RequestError as refusal:
            self._send_error(request.id, error_reply(refusal, request.method, verbose=False))
            return
        running = self._running[request.id] = RunningRequest(request.id, request.method)
        contextvars.copy_context().run(self._start, running, handler, params)

    def _admit(self, request: Request) -> None:
        """Check the server lifecycle (LSP 3.17), which pygls does not enforce. Raises RequestError."""
        if self._shutdown:
            raise RequestError(replies.INVALID_REQUEST, "the server is shut down; start another one")
        if request.id in self._running:
            raise RequestError(replies.INVALID_REQUEST, "a request with this id is still being answered")
        if request.method == types.INITIALIZE:
            if self._is_initialized:
                raise RequestError(replies.INVALID_REQUEST, "the server is already initialized")
        elif not self._is_initialized:
            raise RequestError(replies.NOT_INITIALIZED, "the server is not initialized yet; send initialize first")

    def _handler_of(self, method: str) -> Callable[..., Any]:
        handler = self.fm.builtin_features.get(method) or self.fm.features.get(method)
        if handler is None:
            raise RequestError(replies.METHOD_NOT_FOUND, f"there is no method {method[:200]}")
        return handler  # type: ignore[no-any-return]

    def _structured(self, method: str, params: Any) -> Any:
        """Convert the params to their type; pygls never answers a request with invalid ones. Raises RequestError."""
        shape: Any = _OWN_PARAMS.get(method) or types.METHOD_TO_TYPES.get(method, (None, None, None, None))[2]
        if shape is None:
            return None
        try:
            return self._converter.structure(params, shape)
        except _WRONG_SHAPE as error:
            raise RequestError(
                replies.INVALID_PARAMS, f"{method} has wrong parameters: {_first_fault(error)}"
            ) from None

    def _start(self, running: RunningRequest, handler: Callable[..., Any], params: Any) -> None:
        running_request.set(running)
        self._ctx_msg_id.set(running.id)
        self._execute_handler(running.id, handler, partial(self._finish, running), (params,))
        if running.id in self._running:
            running.future = self._request_futures.get(running.id)

    def _execute_handler(
        self,
        msg_id: MessageId,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Run a handler and drop its future when it is done; pygls keeps the futures of all notifications."""

        def forget(future: Future[Any]) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, forget, args, kwargs)

    def _finish(self, running: RunningRequest, future: Future[Any]) -> None:
        """Send the response, exactly once, without the traceback that pygls includes."""
        self._running.pop(running.id, None)
        elapsed_ms = (time.monotonic() - running.started) * 1e3
        self._trace(f"{running.method} took {elapsed_ms:.1f} ms")
        if future.cancelled():
            self._send_error(running.id, {"code": replies.CANCELLED, "message": f"{running.method} was cancelled"})
            return
        error = future.exception()
        if error is None:
            if running.method == types.INITIALIZE:
                self._is_initialized = True
            self._send_message({"jsonrpc": "2.0", "id": running.id, "result": self._plain(future.result())})
            return
        if not isinstance(error, RequestError):
            log.warning("%s failed: %s", running.method, type(error).__name__)
        is_verbose = self.trace == types.TraceValue.Verbose
        self._send_error(running.id, error_reply(error, running.method, verbose=is_verbose))

    def _receive_notification(self, notification: Notification) -> None:
        method = notification.method
        if method == types.CANCEL_REQUEST:
            wanted = notification.params.get("id") if isinstance(notification.params, dict) else None
            self.cancel(wanted)
            return
        if method != types.EXIT and (self._shutdown or not self._is_initialized):
            return
        try:
            handler = self._handler_of(method)
            params = self._structured(method, notification.params)
        except RequestError as refusal:
            # A notification has no response, and a pop-up would not help the user.
            log.info("passed over a notification: %s", refusal)
            return
        context = contextvars.copy_context()
        context.run(self._execute_handler, str(uuid.uuid4()), handler, partial(self._check, method), (params,))

    def _check(self, method: str, future: Future[Any]) -> None:
        error = None if future.cancelled() else future.exception()
        if error is not None:
            log.error("%s failed", method, exc_info=error)

    def cancel(self, wanted: Any) -> None:
        """Cancel a request and the work behind it; pygls lets its thread run on."""
        running = self._running.get(wanted) if isinstance(wanted, int | str) else None
        if running is not None:
            running.cancelled.set()
            if running.future is not None:
                running.future.cancel()

    def cancel_all(self) -> None:
        """Cancel every running request except shutdown, and every pending request to the client."""
        for running in list(self._running.values()):
            if running.method != types.SHUTDOWN:
                self.cancel(running.id)
        for asked in list(self._pending.values()):
            asked.cancel()
        self._pending.clear()

    # Outgoing messages

    def _receive_response(self, response: Response) -> None:
        """Resolve the future of a request to the client; pygls raises in its reader if it was cancelled."""
        asked = self._pending.pop(response.id, None)
        if asked is None or not asked.set_running_or_notify_cancel():
            return
        if response.error is None:
            asked.set_result(response.result)
        else:
            asked.set_exception(RequestError(replies.REQUEST_FAILED, str(response.error.get("message", ""))[:200]))

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: MessageId | None = None,
    ) -> Future[Any]:
        """Send a request to the client; the future holds the result as plain JSON. Cancel it to stop waiting."""
        number = msg_id if msg_id is not None else str(uuid.uuid4())
        future: Future[Any] = Future()
        if callback is not None:
            future.add_done_callback(partial(_hand_on, callback))
        self._pending[number] = future
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": self._plain(params)}
        self._send_message(message)
        return future

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification to the client."""
        self._send_message({"jsonrpc": "2.0", "method": method, "params": self._plain(params)})

    def _trace(self, message: str) -> None:
        if self.trace != types.TraceValue.Off and self.exit_code is None:
            self.notify(types.LOG_TRACE, types.LogTraceParams(message=message))

    def _send_error(self, number: MessageId | None, error: dict[str, Any]) -> None:
        self._send_message({"jsonrpc": "2.0", "id": number, "error": error})

    def _send_message(self, message: dict[str, Any]) -> None:
        """Serialize and write a message without logging its body, as pygls does."""
        if self.writer is None or self.ended.is_set():
            return
        text = json.dumps(message, separators=(",", ":"), default=self._serialize_message)
        if "\\ud" in text:
            text = _ESCAPES.sub(_whole_escape, text)
        self.writer.write(framed(text.encode("ascii")))

    def _plain(self, value: Any) -> Any:
        """Convert a value to plain JSON; a dict is passed through, whatever its size."""
        if value is None or isinstance(value, dict | str | int | float):
            return value
        if isinstance(value, list | tuple):
            return [self._plain(each) for each in value]
        return self._converter.unstructure(value)

    # Shutdown

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *_: Any) -> None:  # type: ignore[override]
        """Handle ``shutdown``; pygls mutates the table of requests while iterating over it."""
        self.cancel_all()
        self._shutdown = True

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]
        """Handle ``exit``: end this connection only; pygls exits the shared process, always with status 0."""
        self.end(0 if self._shutdown else 1)

    def end(self, exit_code: int) -> None:
        """End the connection; the first exit code wins."""
        if self.exit_code is None:
            self.exit_code = exit_code
        self.cancel_all()
        self.ended.set()


def _first_fault(error: BaseException) -> str:
    if isinstance(error, cattrs.BaseValidationError):
        return " ".join(cattrs.transform_error(error)[0].split())[:200]
    return "they have the wrong shape"


def _hand_on(callback: Callable[[Any], None], done: Future[Any]) -> None:
    if not done.cancelled() and done.exception() is None:
        callback(done.result())


def _whole_escape(match: re.Match[str]) -> str:
    """Replace the escape of a lone surrogate, as strict parsers reject the whole message."""
    return match[0] if len(match[0]) != 6 else "\\ufffd"
