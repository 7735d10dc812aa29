"""Evidence stays where it was sent: over the turns and tool loops of a conversation, whatever happens on disk."""

import json
import random
import string

import pytest

from helix_ls.proxy.turns import DecidedTurns, TurnDecision, prefixes_of
from tests.engine.repository import git, write

COOKIES = "where are session cookies signed?"
ROUTES = "how does match_route find the handler of an address?"
AGE = "what is SESSION_COOKIE_AGE in the docs?"


class Talk:
    """A conversation by a client that sends its whole history; ``sent`` holds the bytes that the upstream got."""

    def __init__(self, server, upstream, model="plain", **fields):
        # Conversations that begin alike share their decisions: each test begins with words of its own.
        words = "".join(random.choices(string.ascii_lowercase, k=20))
        self.messages = [{"role": "system", "content": f"You are {words}."}]
        self.server, self.upstream, self.fields = server, upstream, {"model": model, **fields}
        self.sent = []
        self.answer = None

    def ask(self, question):
        self.messages.append({"role": "user", "content": question})
        return self.send()

    def replied(self, text="It is there."):
        self.messages.append({"role": "assistant", "content": text})

    def tool(self, number, result):
        call = {"id": f"call_{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        self.messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": result})
        return self.send()

    def send(self):
        """Send the history; return the messages that the upstream got."""
        data = json.dumps({**self.fields, "messages": self.messages}).encode()
        with self.server.http() as client:
            headers = {"Content-Type": "application/json"}
            self.answer = client.post("/v1/chat/completions", content=data, headers=headers)
        assert self.answer.status_code == 200, self.answer.text
        self.sent.append(self.upstream.asked[-1][2])
        return json.loads(self.sent[-1])["messages"]

    def grows_only(self):
        """Check that each request begins with every byte of the messages of the one before it."""
        for before, after in zip(self.sent, self.sent[1:], strict=False):
            assert after.startswith(before.removesuffix(b"]}"))

    @property
    def became(self):
        return self.answer.headers["x-helix-context"]


@pytest.fixture
def talk(server, upstream):
    return lambda **fields: Talk(server, upstream, **fields)


@pytest.fixture
def edited(project):
    """Change a file of the project; every file is as it was at the end."""
    before = {}

    def edit(name, old, new):
        text = (project / name).read_text()
        before.setdefault(name, text)
        assert old in text
        write(project, {name: text.replace(old, new)})

    yield edit
    write(project, before)


def test_each_turn_repeats_the_blocks_of_the_turns_before_it_to_the_byte(talk, edited):
    one = talk()
    one.ask(COOKIES)
    one.replied()
    one.ask(ROUTES)
    one.replied()
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    one.ask("thanks!")
    one.replied()
    one.ask(AGE)
    one.grows_only()
    roles = [message["role"] for message in json.loads(one.sent[-1])["messages"]]
    assert roles == ["system", *["user", "user", "assistant"] * 2, "user", "assistant", "user", "user"]


def test_a_tool_loop_keeps_its_block_while_the_prompt_grows_and_files_change(talk, edited):
    one = talk()
    one.ask(COOKIES)
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    for number in range(4):
        one.tool(number, f"line {number}\n" * 12_000)
        assert one.became == "added"
    one.grows_only()
    assert len(one.sent[-1]) > 350_000


def test_a_new_conversation_gets_the_file_as_it_is_now(server, upstream, edited):
    first, second = Talk(server, upstream), Talk(server, upstream)
    second.messages = list(first.messages)
    first.ask(COOKIES)
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    block = second.ask(COOKIES)[1]["content"]
    assert "and then a signature" in block
    first.tool(1, "x")
    assert first.became == "added"


@pytest.mark.parametrize("fields", [{}, {"stream": True}])
def test_an_answered_question_keeps_its_evidence_when_another_window_asks_it_anew(server, upstream, edited, fields):
    first, second = (Talk(server, upstream, model=f"says:It is {word}.\n", **fields) for word in ("one", "two"))
    second.messages = list(first.messages)
    first.ask(COOKIES)
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    assert "and then a signature" in second.ask(COOKIES)[1]["content"]
    for talk, word in ((first, "one"), (second, "two")):
        talk.replied(f"It is {word}.")
        talk.ask("thanks!")
        talk.grows_only()
    assert b"and then a signature" not in first.sent[-1]


def test_a_conversation_keeps_what_it_got_when_another_begins_with_the_same_question(server, upstream, edited):
    first, second = Talk(server, upstream), Talk(server, upstream)
    second.messages = list(first.messages)
    first.ask(COOKIES)
    first.tool(1, "x")
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    second.ask(COOKIES)
    second.tool(2, "x")
    first.tool(3, "x")
    second.tool(4, "x")
    first.grows_only()
    second.grows_only()
    assert first.sent[0] != second.sent[0]


def test_a_conversation_that_repeats_another_to_the_letter_gets_the_file_as_it_is_now(server, upstream, edited):
    first, second = Talk(server, upstream), Talk(server, upstream)
    second.messages = list(first.messages)
    first.ask(COOKIES)
    first.tool(1, "x")
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    second.ask(COOKIES)
    second.tool(1, "x")
    second.tool(2, "x")
    second.grows_only()
    assert b"and then a signature" in second.sent[-1]


def test_a_place_that_was_quoted_is_named_and_not_quoted_again(talk):
    one = talk()
    first = one.ask(COOKIES)[1]["content"]
    one.replied()
    second = one.ask("which function signs the session cookie, sign_cookie?")[4]["content"]
    assert "def sign_cookie" in first
    assert "given before, unchanged" in second
    assert "def sign_cookie" not in second


def test_what_changed_since_it_was_shown_is_told_once_and_at_the_end(talk, edited):
    one = talk()
    one.ask(COOKIES)
    one.replied()
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    told = one.ask(ROUTES)[4]["content"]
    assert "changed since it was shown above: app/sessions.py:" in told
    one.replied()
    again = one.ask(AGE)[7]["content"]
    assert "changed since" not in again
    one.grows_only()


@pytest.mark.parametrize("between", [COOKIES, ROUTES], ids=["quoted", "named"])
def test_a_text_that_is_back_is_quoted_again_behind_the_other(talk, edited, between):
    one = talk()
    there = "Return the payload with"
    assert there in one.ask(COOKIES)[1]["content"]
    one.replied()
    edited("app/sessions.py", there, "Return the payload and then")
    second = one.ask(f"and now: {between}")[4]["content"]
    assert "changed since it was shown above: app/sessions.py:" in second
    assert ("and then a signature" in second) == (between == COOKIES)
    one.replied()
    edited("app/sessions.py", "Return the payload and then", there)
    third = one.ask(f"once more: {COOKIES}")[7]["content"]
    assert there in third
    one.replied()
    fourth = one.ask("which function signs the session cookie, sign_cookie?")[10]["content"]
    assert "given before, unchanged" in fourth
    assert there not in fourth
    one.grows_only()


def test_a_change_is_told_where_nothing_else_is_to_be_told(talk, edited):
    one = talk()
    one.ask(COOKIES)
    one.replied()
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    told = one.ask("zzyzx qwrtplk vbnmx")[4]["content"]
    assert "changed since it was shown above: app/sessions.py:" in told
    assert "def " not in told
    assert one.became == "added"


def test_a_turn_that_got_nothing_gets_nothing_later(talk, project):
    one = talk()
    question = "how does feed_quagga feed the quagga of zzyzx?"
    one.ask(question)
    was = one.became
    assert was != "added"
    one.tool(1, "x")
    write(project, {"app/quagga.py": "def feed_quagga(zzyzx):\n    return zzyzx\n"})
    try:
        with one.server.admin() as client:
            client.post("/admin/refresh", json={})
        one.tool(2, "x")
        assert one.became == was
        one.replied()
        one.ask(ROUTES)
        one.grows_only()
    finally:
        (project / "app/quagga.py").unlink()


def test_an_edited_history_loses_the_blocks_after_the_edit_and_no_other(talk):
    one = talk()
    one.ask(COOKIES)
    one.replied("By sign_cookie.")
    one.ask(ROUTES)
    one.replied()
    whole = one.ask(AGE)
    one.messages[2]["content"] = "By something else."
    edited = one.send()
    assert edited[:3] == whole[:3]
    assert [message["content"] for message in edited[3:5]] == ["By something else.", ROUTES]


def test_a_history_whose_beginning_was_cut_gets_no_old_block(talk):
    one = talk()
    one.ask(COOKIES)
    one.replied()
    one.ask(ROUTES)
    one.replied()
    one.messages = [one.messages[0], *one.messages[3:]]
    got = one.ask(AGE)
    assert [message["content"] for message in got[1:3]] == [ROUTES, "It is there."]


def test_blocks_joined_to_their_questions_stay_too(talk, edited):
    one = talk(model="turns:stay")
    one.ask(COOKIES)
    one.replied()
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    one.ask(ROUTES)
    one.tool(1, "x" * 1_000)
    one.grows_only()
    roles = [message["role"] for message in json.loads(one.sent[-1])["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "tool"]


def test_marks_for_a_cache_and_the_time_in_a_system_prompt_change_no_decision(talk):
    one = talk()
    one.messages[0]["content"] += " It is 10:15:07."
    block = one.ask(COOKIES)[1]
    one.messages[0]["content"] = one.messages[0]["content"].replace("10:15:07", "11:02:59")
    mark = {"type": "ephemeral"}
    one.messages[1]["content"] = [{"type": "text", "text": COOKIES, "cache_control": mark}]
    assert one.tool(1, "x")[1] == block


def test_anthropics_messages_keep_their_evidence_while_the_client_s_marks_move(server, upstream, edited):
    words = "".join(random.choices(string.ascii_lowercase, k=20))
    mark = {"cache_control": {"type": "ephemeral"}}
    use = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.py"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x = 1"}
    turns = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": f"Hello, I am {words}."},
        {"role": "user", "content": COOKIES},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "It is there."}]},
        {"role": "user", "content": ROUTES},
    ]

    def sent(count):
        last = turns[count - 1]
        content = last["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        messages = [*turns[: count - 1], {**last, "content": [*parts[:-1], {**parts[-1], **mark}]}]
        with server.http() as client:
            asked = {"model": "claude", "max_tokens": 9, "messages": messages}
            answer = client.post("/v1/messages", json=asked, headers={"anthropic-version": "2023-06-01"})
        assert answer.status_code == 200, answer.text
        body = upstream.bodies()[-1]["messages"]
        assert body[-1]["content"][-1].pop("cache_control") == mark["cache_control"], "it stands after the evidence"
        assert "cache_control" not in json.dumps(body), "and no mark is added to the client's own"
        return body

    first = sent(3)
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    second = sent(5)
    third = sent(7)
    assert "def sign_cookie" in first[-1]["content"][0]["text"]
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert "changed since it was shown above" in third[-1]["content"][0]["text"]


def test_what_is_kept_is_told_in_numbers(talk):
    def metrics():
        with one.server.http() as client:
            lines = client.get("/metrics").text.splitlines()
        return {line.split()[0]: float(line.split()[1]) for line in lines if line.startswith("helix_turns")}

    one = talk()
    one.ask(COOKIES)
    before = metrics()
    one.tool(1, "x")
    after = metrics()
    repeated = 'helix_turns_total{became="repeated"}'
    assert after[repeated] - before.get(repeated, 0) == 1
    assert after["helix_turns_kept"] > before["helix_turns_kept"] >= 1
    assert after["helix_turns_kept_bytes"] > 1_000
    assert after["helix_turns_dropped"] == 0


def test_decisions_are_bounded_in_number_and_bytes_and_the_last_used_stay():
    turns = DecidedTurns(most=3, most_bytes=1_000_000)
    for name in (b"a", b"b", b"c"):
        turns.keep(name, TurnDecision(0, 0, "added", "text"))
    assert turns.get(b"a") is not None
    turns.keep(b"d", TurnDecision(0, 0, "none"))
    assert [turns.get(name) is not None for name in (b"a", b"b", b"c", b"d")] == [True, False, True, True]
    turns.keep(b"e", TurnDecision(0, 0, "added", "x" * 499_000))
    assert len(turns) <= 2 and turns.size <= 1_000_000
    turns.keep(b"f", TurnDecision(0, 0, "added", "x" * 600_000))
    assert (len(turns), turns.size) == (0, 0), "what is larger than all is not kept"


def test_prefixes_tell_workspaces_roles_texts_and_calls_apart():
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    base = prefixes_of("w", said)
    assert prefixes_of("w", [*said, {"role": "user", "content": "c"}])[:2] == base
    others = [
        prefixes_of("v", said),
        prefixes_of("w", [{"role": "user", "content": "ab"}, {"role": "assistant", "content": ""}]),
        prefixes_of("w", [said[0], {"role": "tool", "content": "b"}]),
        prefixes_of("w", [said[0], {**said[1], "tool_calls": [{"id": "1"}]}]),
        prefixes_of("w", [said[0], {**said[1], "tool_call_id": "1"}]),
        prefixes_of("w", [said[0], {"role": "assistant", "content": [{"type": "text", "text": "b"}, {"type": "x"}]}]),
        prefixes_of("w", [said[0], 7]),
    ]
    assert base[1] not in [each[1] for each in others]
    assert len({each[1] for each in others}) == len(others)
    assert prefixes_of("w", [said[0], {"role": "assistant", "content": [{"type": "text", "text": "b"}]}]) == base


def test_who_asks_for_a_review_where_nothing_is_changed_is_told_so(talk, edited, project):
    git(project, "clean", "--quiet", "--force", "-d")
    one = talk()
    told = one.ask("review my changes")[1]["content"]
    assert (one.became, told) == ("empty", "Helix: nothing here differs from the last commit.")
    edited("app/sessions.py", "Return the payload with", "Return the payload and then")
    other = talk()
    assert "Return the payload and then" in other.ask("review my changes")[1]["content"]
    assert other.became == "added"
