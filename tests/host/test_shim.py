"""``helix lsp`` as an editor sees it: hostile bytes, dying daemons, dying editors."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from helix_ls.host.endpoint import place
from helix_ls.host.shim import MAX_DOCUMENT_BYTES
from tests.host.clients import Caller, Editor, until
from tests.host.conftest import processes_of

CANCELLED = -32802


def daemon_pid(environ):
    with Caller(environ) as call:
        return call("daemon.status")["result"]["pid"]


def hover(editor, file, line=5, character=6):
    return editor.ask(
        "textDocument/hover",
        {"textDocument": {"uri": file.as_uri()}, "position": {"line": line, "character": character}},
    )


def opened(editor, file, text=None):
    document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": text or file.read_text()}
    editor.notify("textDocument/didOpen", {"textDocument": document})


def test_two_windows_share_one_daemon_and_both_recover_when_it_is_killed(environ, editor, project):
    windows = [editor(), editor()]
    for window in windows:
        window.begin(project)
        opened(window, project / "app/sessions.py")
        window.live("fresh")
    pid = daemon_pid(environ)
    os.kill(pid, signal.SIGKILL)
    for window in windows:
        asked = hover(window, project / "app/sessions.py")
        reply = window.answer(asked)
        assert reply.get("error", {}).get("code", CANCELLED) == CANCELLED
        assert "sign_cookie" in json.dumps(
            until(lambda w=window: w.answer(hover(w, project / "app/sessions.py")).get("result"), "a hover")
        )
    assert daemon_pid(environ) != pid


def test_an_unsaved_buffer_outlives_the_daemon(environ, editor, project):
    window = editor()
    window.begin(project)
    window.live("fresh")
    file = project / "app/sessions.py"
    opened(window, file)
    start = {"line": 0, "character": 0}
    change = {
        "textDocument": {"uri": file.as_uri(), "version": 2},
        "contentChanges": [{"range": {"start": start, "end": start}, "text": "# first\n# second\n"}],
    }
    window.notify("textDocument/didChange", change)
    assert "sign_cookie" in json.dumps(window.answer(hover(window, file, line=7))["result"])
    os.kill(daemon_pid(environ), signal.SIGKILL)
    until(
        lambda: "sign_cookie" in json.dumps(window.answer(hover(window, file, line=7)).get("result")),
        "the buffer is known",
    )
    assert window.answer(hover(window, file, line=5)).get("result") is None


def test_a_packet_is_open_again_when_the_new_daemons_process_id_has_it_asked_again(editor, project):
    window = editor()
    window.begin(project)
    status = window.live("fresh")
    asked = {"question": "sign_cookie", "workspace": project.as_uri(), "open": True}
    question = {"command": "helix.packet", "arguments": [asked]}
    before = window.request("workspace/executeCommand", question)["result"]
    os.kill(status["server"]["pid"], signal.SIGKILL)
    assert window.live("fresh")["server"]["pid"] != status["server"]["pid"]
    after = window.request("workspace/executeCommand", question)["result"]
    assert after["packet_id"] != before["packet_id"]
    assert [item["source_id"] for item in after["verified"]] == [item["source_id"] for item in before["verified"]]
    (project / "app/sessions.py").unlink()
    until(lambda: told_as_gone(window, after["packet_id"]), "the packet's marks change")


def told_as_gone(window, packet_id):
    """Read one more message; whether it is a verdict of that packet which says that a file is gone."""
    message = window.next()
    if message.get("method") != "helix/verdicts" or message["params"]["packet_id"] != packet_id:
        return False
    return any(item["reason"] == "gone" for item in message["params"]["items"])


def test_a_shim_that_cannot_replay_ends_and_a_client_that_restarts_it_loses_nothing(environ, editor, project):
    window = editor()
    window.begin(project)
    window.live("fresh")
    opened(window, project / "large.txt", "x" * (MAX_DOCUMENT_BYTES + 1))
    file = project / "app/sessions.py"
    buffer = "# first\n# second\n" + file.read_text()
    opened(window, file, buffer)
    assert "sign_cookie" in json.dumps(window.answer(hover(window, file, line=7))["result"])
    os.kill(daemon_pid(environ), signal.SIGKILL)
    assert window.process.wait(60) == 1
    assert b"an open document of more than 16 MiB cannot be sent" in window.process.stderr.read()
    again = editor()
    again.begin(project)
    opened(again, file, buffer)
    until(
        lambda: "sign_cookie" in json.dumps(again.answer(hover(again, file, line=7)).get("result")),
        "the buffer is known",
    )


def test_a_shim_whose_daemons_keep_dying_names_the_cause_and_their_log_at_its_end(environ, project):
    script = "import os, helix_ls.host.shim as shim; shim.MOST_DEATHS = 0; shim.end(shim.run_shim(os.environ))"
    window = Editor(environ, command=[sys.executable, "-c", script])
    # Answered, the shim is connected; a daemon that dies before that is not one of its deaths.
    window.begin(project)
    os.kill(daemon_pid(environ), signal.SIGKILL)
    assert window.process.wait(60) == 1
    said = window.process.stderr.read().decode()
    window.close()
    assert said == (
        f"helix lsp: The daemon ended 1 times within 180 s; see the end of its log, {place(environ).log}, "
        "then restart the language server in the editor.\n"
    )


def test_a_window_closed_is_gone_at_once_and_the_daemon_soon(environ, project):
    environ = environ | {"HELIX_IDLE_S": "0.5"}
    window = Editor(environ)
    window.begin(project)
    window.live("fresh")
    window.process.stdin.close()
    assert window.process.wait(60) == 1
    window.close()
    until(lambda: not processes_of(environ), "shim, daemon and workers are gone")


@pytest.mark.parametrize("is_polite", [True, False])
def test_the_exit_status_says_whether_the_editor_shut_down_first(editor, project, is_polite):
    window = editor()
    window.begin(project)
    if is_polite:
        assert window.request("shutdown")["result"] is None
    window.notify("exit")
    assert window.process.wait(60) == (0 if is_polite else 1)


def test_leaving_is_quick_also_in_the_middle_of_a_whole_refresh(editor, project):
    for number in range(1_000):
        (project / f"f{number}.py").write_text(f"def f{number}():\n    return {number}\n" * 40)
    window = editor()
    window.begin(project)
    window.live("indexing")
    assert window.request("shutdown")["result"] is None
    window.notify("exit")
    assert window.process.wait(60) == 0
    heard = [*window.said, *iter(window.rest, None)]
    assert "fresh" not in [each["params"]["state"] for each in heard if each.get("method") == "helix/status"]


def test_the_shim_ends_when_the_editor_is_killed_though_others_hold_its_stdin_open(environ, project):
    script = "import time; time.sleep(600)"
    parent = subprocess.Popen([sys.executable, "-c", script], env=environ)
    window = Editor(environ)
    window.begin(project, processId=parent.pid)
    parent.kill()
    parent.wait()
    assert window.process.wait(60) == 1
    window.close()


def test_an_editor_whose_process_cannot_be_seen_from_here_is_served_all_the_same(editor, project):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    window = editor()
    assert "result" in window.begin(project, processId=gone.pid)
    time.sleep(0.2)
    assert window.process.poll() is None


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"not json", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": ', -32700),
        (b"[" * 100_000, -32700),
        (b"1" * 10_000, -32700),
        (b"null", -32600),
        (b"7", -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "initialize"}]', -32600),
    ],
)
def test_what_is_no_message_is_answered_here_and_the_next_is_served(editor, project, body, code):
    window = editor()
    window.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert window.answer(None)["error"]["code"] == code
    assert "result" in window.begin(project)


def test_framing_faults_do_not_silence_it(editor, project):
    window = editor()
    window.raw(b"GET / HTTP/1.1\r\nHost: x\r\n\r\nContent-Length: -3\r\n\r\ncontent-length:2\n\n{}")
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": "a",
            "method": "initialize",
            "params": {"processId": None, "capabilities": {}, "rootUri": None},
        }
    ).encode()
    window.raw(b"CONTENT-LENGTH:%d\nX: y\n\n%s" % (len(body), body))
    assert "result" in window.answer("a")


def test_what_is_printed_does_not_reach_the_protocol(environ, project):
    script = (
        "import os, sys, helix_ls.host.shim as shim\n"
        "real = shim.SessionReplay.from_client\n"
        "def from_client(self, *a):\n"
        "    print('printed', flush=True); os.write(1, b'written'); return real(self, *a)\n"
        "shim.SessionReplay.from_client = from_client\n"
        "shim.end(shim.run_shim(os.environ))"
    )
    environ = environ | {"HELIX_IDLE_S": "0.5"}
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"capabilities":{},"rootUri":null}}'
    )
    process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    process.stdin.flush()
    assert process.stdout.readline().lower().startswith(b"content-length:")
    out, errors = process.communicate(timeout=60)
    assert b"printed" not in out
    assert b"written" not in out
    assert b"printed" in errors
    assert b"written" in errors


def test_closed_streams_are_an_end_and_no_defect(environ):
    script = "import os, sys; os.close(0); os.execv(sys.executable, [sys.executable, '-m', 'helix_ls.cli', 'lsp'])"
    done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, timeout=120, check=False)
    assert done.returncode == 1
    assert done.stdout == b""


def test_the_shim_is_small(environ, editor, project):
    window = editor()
    window.begin(project)
    shim = psutil.Process(window.process.pid)
    loaded = {os.path.basename(one.path) for one in shim.memory_maps()}
    assert not any(name.startswith(("apsw", "_tree_sitter", "_binding")) for name in loaded)
