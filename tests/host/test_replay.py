"""What a shim says to a new daemon when the old one has died."""

import json

from helix_ls.host.shim import INITIALIZE_AGAIN, MAX_DOCUMENT_BYTES, SERVER_CANCELLED, SessionReplay

URI = "file:///w/a.py"


class Conversation(SessionReplay):
    """A recall that is told messages as dicts."""

    def client(self, method=None, params=None, **more):
        message = {"jsonrpc": "2.0", **more}
        if method is not None:
            message |= {"method": method, "params": params or {}}
        return self.from_client(message, json.dumps(message).encode())

    def server(self, **message):
        return self.from_server({"jsonrpc": "2.0", **message})

    def again(self):
        bodies = self.replay()
        return [] if bodies is None else [json.loads(body) for body in bodies]

    def open(self, text="one\n", version=1):
        document = {"uri": URI, "languageId": "python", "version": version, "text": text}
        self.client("textDocument/didOpen", {"textDocument": document})

    def change(self, version, *changes):
        identity = {"uri": URI, "version": version}
        self.client("textDocument/didChange", {"textDocument": identity, "contentChanges": list(changes)})


def begun():
    recall = Conversation()
    recall.client("initialize", {"processId": 42}, id=1)
    recall.server(id=1, result={})
    recall.client("initialized")
    return recall


def edit(text, line=0):
    place = {"line": line, "character": 0}
    return {"range": {"start": place, "end": place}, "text": text}


def test_the_greeting_is_said_again_under_an_id_of_our_own():
    recall = begun()
    body, is_ours = recall.greeting()
    said = json.loads(body)
    assert is_ours
    assert said["id"] == INITIALIZE_AGAIN
    assert said["params"] == {"processId": 42}
    assert not recall.server(id=INITIALIZE_AGAIN, result={})
    assert recall.parent_pid == 42


def test_an_unanswered_greeting_is_said_again_as_it_was_and_not_cancelled():
    recall = Conversation()
    recall.client("initialize", {}, id="x")
    assert recall.lost() == []
    body, is_ours = recall.greeting()
    assert json.loads(body)["id"] == "x"
    assert not is_ours


def test_requests_that_wait_are_cancelled_by_the_server_and_only_those():
    recall = begun()
    recall.client("textDocument/hover", id=2)
    recall.client("textDocument/hover", id="2")
    recall.client("textDocument/hover", id=3)
    recall.server(id=3, result=None)
    told = recall.lost()
    assert [(one["id"], one["error"]["code"]) for one in told] == [(2, SERVER_CANCELLED), ("2", SERVER_CANCELLED)]
    assert recall.lost() == []


def test_progress_that_was_begun_is_ended():
    recall = begun()
    recall.server(method="$/progress", params={"token": "t", "value": {"kind": "begin", "title": "Indexing"}})
    recall.server(method="$/progress", params={"token": "u", "value": {"kind": "begin", "title": "Indexing"}})
    recall.server(method="$/progress", params={"token": "u", "value": {"kind": "end"}})
    assert [one["params"] for one in recall.lost()] == [{"token": "t", "value": {"kind": "end"}}]


def test_an_answer_the_new_server_never_asked_for_is_kept_from_it():
    recall = begun()
    recall.server(id="s1", method="workspace/configuration", params={})
    assert recall.client(id="s1", result=[])
    assert not recall.client(id="s1", result=[])
    recall.server(id="s2", method="workspace/configuration", params={})
    recall.lost()
    assert not recall.client(id="s2", result=[])


def test_open_documents_are_said_again_with_every_change_and_closed_ones_not():
    recall = begun()
    recall.open()
    recall.change(2, edit("a"))
    recall.change(3, edit("b"))
    assert [one["method"] for one in recall.again()] == [
        "initialized",
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didChange",
    ]
    recall.client("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert [one["method"] for one in recall.again()] == ["initialized"]


def test_a_change_of_the_whole_text_stands_for_all_before_it():
    recall = begun()
    recall.open()
    recall.change(2, edit("a"))
    recall.change(3, edit("b"), {"text": "whole\n"})
    recall.change(4, edit("c"))
    opened, change = recall.again()[1:]
    assert opened["params"]["textDocument"] == {"uri": URI, "languageId": "python", "version": 3, "text": "whole\n"}
    assert change["params"]["textDocument"]["version"] == 4


def test_folders_settings_and_trace_are_said_again():
    recall = begun()
    recall.client("workspace/didChangeWorkspaceFolders", {"event": {"added": [1], "removed": []}})
    recall.client("workspace/didChangeWorkspaceFolders", {"event": {"added": [2], "removed": []}})
    recall.client("$/setTrace", {"value": "off"})
    recall.client("$/setTrace", {"value": "verbose"})
    again = recall.again()
    assert [one["params"]["event"]["added"] for one in again if "Folders" in one["method"]] == [[1], [2]]
    assert [one["params"] for one in again if one["method"] == "$/setTrace"] == [{"value": "verbose"}]


def test_a_document_of_too_long_a_history_cannot_be_recalled_until_it_is_whole_again():
    recall = begun()
    recall.open("x" * (MAX_DOCUMENT_BYTES - 1000))
    recall.change(2, edit("y" * 2000))
    assert recall.replay() is None
    recall.change(3, {"text": "short"})
    assert len(recall.again()) == 2
