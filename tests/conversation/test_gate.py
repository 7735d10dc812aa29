"""Who asks nothing of a workspace is told apart from who does, and what a paste points at comes first."""

import pytest

from helix_core.conversation.asked import Need, read_conversation, read_question
from helix_core.conversation.pasted import coordinates

NOTHING = [
    "gotcha",
    "noted",
    "never mind, found it",
    "sorry, wrong window",
    "ok cool, das reicht mir",
    "hi",
    "thanks!",
    "thx a lot!! 🙏",
    "Danke, das war sehr hilfreich!",
    "Merci, c'était très utile !",
    "Gracias, muy útil!",
    "ok",
    "yes",
    "continue",
    "Hello Claude, how are you?",
    "Thanks, that worked!",
    "Perfect, thank you so much for your help",
    "what is 2+2?",
    "What's the weather in Paris?",
    "translate 'good morning' into French",
    "tell me a joke",
    "Write me a poem about autumn",
    "who are you?",
    "What is the difference between TCP and UDP?",
    "What is a decorator in Python?",
    "danke!",
    "gracias",
    "merci beaucoup",
    "obrigado!",
    "ありがとうございます",
    "谢谢！",
    "谢谢啦",
    "спасибо большое",
    "감사합니다",
    "grazie mille!",
    "teşekkürler",
    "Generate a concise, 3-5 word title with an emoji summarizing the chat history.",
    "### Task:\nSuggest 3-5 relevant follow-up questions the user might ask next, based on the chat history.",
    "Please write a 5-10 word title for the following conversation:\n\nUser: how are cookies signed?",
    "Your task is to create a detailed summary of the conversation so far.",
    "write a commit message for this diff:\n```diff\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n```",
    "Summarize this conversation in two sentences.",
    "Explain gravity to a seven year old.",
    "please reword your last answer",
    "好的，谢谢",
    "awesome, you rock",
    "I'll get back to you later",
    "let's go with the second option",
    "makes total sense now, heyyy",
    "what can you do for me?",
    "what did I ask you before?",
    "🙏🙏",
    "Tool ran without output or errors. Please continue with the next step.",
    "is Python faster than Go?",
    "what is the difference between a thread and a process?",
    "explain the difference between processes and threads",
    "I love this project",
    "I really enjoy your code",
    "this is a great codebase!",
    "remove the second paragraph of your answer",
    "please drop the table in your last reply",
    "what's new in python 3.13?",
    "how do I install docker on ubuntu?",
    "give me a regex that matches an email address",
    "explain recursion to me like I'm five",
    "Suggest three short questions that I could ask next. One per line, nothing else.",
    "You are a grader. Give a score 'yes' or 'no' for relevance.\n\nDocument:\nfoo\n\nUser question: where is it?",
    "[Request interrupted by user]",
    "[Request interrupted by user for tool use]",
    "[TASK RESUMPTION] This task was interrupted 5 minutes ago. It may or may not be complete.",
    "[Operation cancelled by user]",
    "[System: the context was compacted]",
    "[SYSTEM NOTIFICATION - not from the user] A task ended.",
    "[ERROR] You did not use a tool in your previous response! Please retry with a tool use.",
    "Observation: the file was written.",
    "The user denied this operation.",
    "Classify the user's message. Reply with the label only.\n\nMessage: how are cookies signed?",
    "Name this session in at most five words: how are cookies signed?",
    "Rewrite the code above so that it checks its arguments.\n```python\ndef add(a, b):\n    return a + b\n```",
    "What is a good commit message?\n\ndiff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b",
    "What would be a fitting title for this chat? Answer with the title only.",
    "Propose four replies the user could send next, as a JSON array.",
    "Distill the transcript below into 5 bullet points.\n\n[developer] where is it?\n[assistant] In `x.py`.",
    "Rate from 1 to 5 how well the answer fits, and return only the number.\nQuestion: where is it?\nAnswer: there",
    "<chat>\nUser: where is it?\n</chat>\n\nThe messages above are to be summarized: summarize the conversation.",
    "Before we go on, write down all that the next agent must know.",
    "/compact",
    "hi, please reply with the single word READY",
    "Your last reply was cut off at the token limit. Go on where it ended.",
    "I ran this command:\n\nmake\n\nAnd got this output:\n\nok\n",
    "Can you rewrite this paragraph to be shorter? The fox, which was quick, jumped over the dog.",
    "Write a short email to my boss asking for a day off",
    "The user's request is: add type hints\n```python\nx = 1\n```\nOutput only the rewritten section of code:",
    "alright, done for today, thanks",
    "nice, that's all for today",
    "Kotlin: was ist der Unterschied zwischen val und var?",
    "Rust: was bedeutet Ownership?",
    "Go: how do channels differ from mutexes?",
    "Was ist der Unterschied zwischen let und const in JavaScript?",
    "quelle est la différence entre une liste et un tuple en python ?",
    "wie sortiere ich eine Liste in Python?",
    "cómo se hace un bucle en bash?",
    "como ordenar uma lista em python",
]
EVIDENCE = [
    "wie werden Listen in diesem Projekt mit Python sortiert?",
    "wie setze ich ein Cookie?",
    "Python: where is the parser?",
    "Go: how does parseArgs work?",
    "wie wird `render` in go aufgerufen",
    "was ist der Unterschied zwischen Router und MethodRouter?",
    "how do I install this on ubuntu",
    "how do I run the tests on windows?",
    "what was fixed in v1.3.7",
    "I want a new option `maxBodySize` next to maxRedirects",
    "how do I run this?",
    "how can we build it locally?",
    "how are signals dispatched?",
    "thanks, where are signals dispatched?",
    "Danke, funktioniert der Cache auch ohne Redis?",
    "fix the login view",
    "how big is the cache?",
    "how many days does a session last?",
    "how are synonyms expanded?",
    "what is the difference between a session and a connection?",
    "how do I write raw queries?",
    "what is the difference between the queue and the stack?",
    "what is the difference between a thread and a process in this project?",
    "I would like this function to return a list",
    "is this project great at caching?",
    "remove the second header of the response",
    "`help`",
    "{{ super() }}",
    "{% ok %}",
    "</thanks>",
    "what does `error` do",
    "translate the character set name to a codec",
    "summarize how requests are routed",
    "where do we generate the title of a conversation?",
    "how does the translate command work here?",
    "what is a QuerySet in our code?",
    "which function formats the weather widget in `app/weather.py`?",
    "hi, the checkout is broken: ValueError: no address",
    "PLEASE HELP!!! where is the total made? URGENT!!!",
    "when should a worker stop?",
    "write a function that checks the cookie",
    "what went wrong in the last step of the pipeline?",
    "what does the second option do?",
    "[PAY-3127] where are cookies signed?",
    "[ERROR] Could not locate an application.\nwhere is that raised?",
    "[worker error]: where is the secret key read?",
    "[fd error]: The search pattern 'x/y' contains a path-separation character",
    "[system] no such device: where is that printed?",
    "[build cancelled] which code prints this?",
    "does this keep keys?\n\ndiff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b",
    "summarize how sessions are stored",
    "hey! where does a 404 get answered?",
    "detect the language of the text before normalizing",
    "extract the query from the request and return only the json body",
    "suggest a better name for the function get_root_path",
    "generate a list of all configuration keys",
    "write a summary of the changes in version 3.0",
    "I ran the migration and it failed, where are migrations applied?",
    "the last response was wrong, where is the cart saved?",
    "translate the names of the columns when the form is shown",
    "give the admin page a title",
    "what runs next after the middleware?",
    "why?\n```\nTraceback (most recent call last):\n  File \"app/a.py\", line 3, in f\nKeyError: 'x'\n```",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_needs_no_workspace_is_told(text):
    asked = read_question(text)
    assert asked.need is Need.NOTHING and asked.why


@pytest.mark.parametrize("text", EVIDENCE)
def test_what_may_ask_of_the_workspace_is_searched(text):
    assert read_question(text).need is Need.EVIDENCE


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("lol ok this might be dumb but how are signals sent?", "how are signals sent?"),
        ("A coworker asked me this and I had no answer: which code sends signals?", "which code sends signals?"),
        ("how are weak signals sent? If it's hard I'll ask again when Bob is back.", "how are weak signals sent?"),
        ("PLEASE HELP!!! how are signals sent? URGENT!!!", "how are signals sent?"),
    ],
)
def test_what_is_said_around_a_question_is_not_searched(text, asked):
    assert read_question(text).text == asked


@pytest.mark.parametrize(
    "system",
    [
        "You are a title generator. You output ONLY a thread title. Nothing else.",
        "Analyze if this message indicates a new conversation topic. If it does, extract a 2-3 word title.",
        "*Briefly* summarize this partial conversation about programming.",
        "You name chats. Respond with a name of three to six words and nothing more.",
        "Given the user's message decide which model handles it. Output one of SMALL, LARGE.",
        "You extract long-term memories about a user from chats. Return JSON.",
        "Pick one emoji that fits the message best. Output only the emoji.",
        "You are a translator.",
        "You are a helpful English-to-Polish translator, spelling corrector and improver.",
        "Translate everything the user says into German. Do not answer.",
        "Act as an expert proofreader.",
    ],
)
def test_a_system_prompt_that_is_one_job_needs_nothing(system):
    chat = [{"role": "system", "content": system}, user("where is the cart?")]
    assert read_conversation(chat).need is Need.NOTHING


@pytest.mark.parametrize(
    "system",
    [
        "You are a coding agent. Be brief.",
        "You answer the user's questions about a shop. Write a summary at the end. Return only markdown.",
        "You are a senior engineer. Review code and suggest better names. Respond in JSON.",
        "You help users write commit messages and code.",
        "You are a developer working on the translator module.",
        "You are a reviewer of our translators' desktop tool.",
        "You are a senior engineer. You translate requirements into code.",
        "Answer in German. The project is a translation service.",
    ],
)
def test_the_system_prompt_of_an_assistant_leaves_the_question_to_be_searched(system):
    chat = [{"role": "system", "content": system}, user("where is the cart?")]
    assert read_conversation(chat).need is Need.EVIDENCE


def test_an_order_around_what_a_client_encloses_as_the_users_words_is_seen():
    order = "Generate a concise title for the query. Only return it.\n<user_query>\nwhere is the cart?\n</user_query>"
    assert read_conversation([user(order)]).need is Need.NOTHING
    enclosed = "<rules>\nBe brief.\n</rules>\n<user_query>\nwhere is the cart?\n</user_query>"
    assert read_conversation([user(enclosed)]).need is Need.EVIDENCE


@pytest.mark.parametrize(
    "complaint",
    ["it doesnt work", "still broken", "can you fix it?", "my code doesn't work, please help", "I get an error"],
)
def test_a_first_message_that_only_complains_needs_nothing_and_a_later_one_follows(complaint):
    assert read_conversation([user(complaint)]).need is Need.NOTHING
    assert read_conversation([*CSRF, user(complaint)]).need is Need.EVIDENCE
    assert read_conversation([user(f"{complaint}: the cart is empty")]).need is Need.EVIDENCE


def test_only_a_message_of_a_chat_may_be_about_anything():
    assert read_conversation([user("how do vaccines work?")]).may_be_general
    assert not read_conversation([user("how do vaccines work in this project?")]).may_be_general
    assert not read_conversation([user("how does add_vaccine work?")]).may_be_general
    assert not read_question("how do vaccines work?").may_be_general


def user(text):
    return {"role": "user", "content": text}


def model(text):
    return {"role": "assistant", "content": text}


CSRF = [
    user("Where does the CSRF middleware check the referer?"),
    model("In `CsrfViewMiddleware._check_referer`, see django/middleware/csrf.py."),
]


@pytest.mark.parametrize(
    "follow_up",
    [
        "fix it",
        "and where is that tested?",
        "what errors does it raise?",
        "why?",
        "where is that option set?",
        "can you show me the caller?",
        "add type hints",
        "please shorten this function",
        "remove the duplication",
        "is this the only place?",
        "and for yaml",
        "it still crashes",
        "warum?",
        "zeig mir den Code",
        "¿por qué?",
        "为什么?",
        "どうしてですか?",
    ],
)
def test_a_follow_up_is_searched_with_the_turn_it_refers_to(follow_up):
    asked = read_conversation([*CSRF, user(follow_up)])
    assert asked.text.startswith(follow_up.rstrip("?"))
    assert "CSRF middleware check the referer" in asked.text and "_check_referer" in asked.text
    assert asked.files == ("django/middleware/csrf.py",)


@pytest.mark.parametrize(
    "question",
    [
        "How are database migrations squashed?",
        "how are passwords hashed and how long may they be?",
        "where is the template loader?",
        "how are passwords hashed?",
        "fix the login view",
        "explain the session backend",
    ],
)
def test_a_question_that_stands_on_its_own_takes_nothing_from_earlier_turns(question):
    asked = read_conversation([*CSRF, user(f"Thanks! {question}")])
    assert (asked.text, asked.carried, asked.judged) == (question, (), "")


@pytest.mark.parametrize("text", ["answer in json", "in yaml please", "as a short list"])
def test_an_order_of_the_answers_form_is_no_follow_up(text):
    assert read_conversation([*CSRF, user(text)]).need is Need.NOTHING


def test_a_chain_of_follow_ups_reaches_the_question_that_stands_on_its_own():
    chat = [*CSRF, user("and where is that tested?"), model("In tests/csrf_tests/tests.py."), user("fix it")]
    asked = read_conversation(chat)
    assert "CSRF middleware" in asked.text
    assert asked.files[0] == "tests/csrf_tests/tests.py", "the latest first"


def test_a_turn_that_only_leans_on_others_adds_nothing_to_the_next():
    asked = read_conversation(
        [*CSRF, user("why?"), model("It is safer."), user("どうして?"), model("…"), user("fix it")]
    )
    assert asked.text == "fix it Where does the CSRF middleware check the referer? CsrfViewMiddleware _check_referer"
    assert asked.discussed == ("CsrfViewMiddleware", "_check_referer")


def test_the_first_question_is_returned_to_where_it_is_named():
    later = [user("how are passwords hashed?"), model("By `make_password`.")]
    asked = read_conversation([*CSRF, *later, user("back to my first question: can you show me that code again?")])
    assert "CSRF middleware check the referer" in asked.text and "make_password" not in asked.text
    assert "make_password" in read_conversation([*CSRF, *later, user("show me that code again")]).text


def test_files_that_a_tool_was_given_are_known():
    call = {"id": "1", "function": {"name": "edit", "arguments": '{"path": "shop/cart.py"}'}}
    chat = [user("where is the cart?"), {"role": "assistant", "content": None, "tool_calls": [call]}, user("fix it")]
    assert "shop/cart.py" in read_conversation(chat).files


def test_of_what_tools_returned_the_latest_is_read_up_to_a_bound():
    chat = [user("where is the cart?")]
    for at in range(20):
        chat.append({"role": "tool", "tool_call_id": str(at), "content": f"shop/part{at}.py\n" + "x = 1\n" * 1_300})
    files = read_conversation([*chat, user("fix it")]).files
    assert files[0] == "shop/part19.py" and "shop/part16.py" in files and "shop/part15.py" not in files


def test_thanks_after_an_answer_need_nothing():
    assert read_conversation([*CSRF, user("thanks!")]).need is Need.NOTHING


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ('  File "/srv/app/django/http/request.py", line 42, in get_host', "srv/app/django/http/request.py", 42),
        ("    at Object.render (/home/me/web/src/app.tsx:10:5)", "home/me/web/src/app.tsx", 10),
        ("    at src/app.ts:7:1", "src/app.ts", 7),
        ("\tat com.shop.cart.Cart.add(Cart.java:31)", "com/shop/cart/Cart.java", 31),
        ("\t/go/src/shop/cart.go:12 +0x1d", "go/src/shop/cart.go", 12),
        ("  --> src/main.rs:4:9", "src/main.rs", 4),
        ("thread 'main' panicked at src/lib.rs:8:5:", "src/lib.rs", 8),
        ("src/cart.c:90:3: error: expected ';'", "src/cart.c", 90),
        ("src/a.ts(5,12): error TS2304: Cannot find name 'x'.", "src/a.ts", 5),
        ("tests/test_a.py:17: AssertionError", "tests/test_a.py", 17),
        ("+++ b/shop/cart.py\n@@ -1,3 +20,3 @@ def total():", "shop/cart.py", 21),
        ("what is wrong in shop/cart.py:88?", "shop/cart.py", 88),
        ("C:\\work\\shop\\cart.cs:line 3 and shop\\cart.py:4", "shop/cart.py", 4),
        ("   at Shop.Cart.Add() in /src/Cart.cs:line 12", "src/Cart.cs", 12),
    ],
)
def test_coordinates_are_read_as_tools_print_them(text, path, line):
    assert (path, line) in [(one.path, one.line) for one in coordinates(text)]


def test_the_innermost_frame_of_a_python_trace_comes_first():
    trace = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n  File "b.py", line 2, in g\nKeyError: 1'
    assert [one.path for one in coordinates(trace)] == ["b.py", "a.py"]
    asked = read_question(f"Hi, what is this?\n\n{trace}\n\nThanks!")
    assert [one.path for one in asked.places] == ["b.py", "a.py"]
    assert "KeyError: 1" in asked.text and "Thanks" not in asked.text


@pytest.mark.parametrize("text", ["see https://example.org:443/x", "at 10:30", "version 3.12", "a:1"])
def test_what_is_no_place_is_taken_for_none(text):
    assert coordinates(text) == ()


@pytest.mark.parametrize(
    ("before", "now"),
    [("what's 2+2", "and 3+3"), ("tell me a joke", "another one"), ("write a haiku about autumn", "one about winter?")],
)
def test_a_follow_up_of_what_needs_nothing_needs_nothing(before, now):
    messages = [("user", before), ("assistant", "as you wish"), ("user", now)]
    asked = read_conversation([{"role": role, "content": text} for role, text in messages])
    assert asked is not None and asked.need is Need.NOTHING


def test_a_joke_in_between_does_not_take_the_subject_away():
    texts = ["where is pre_load run?", "here", "tell me a joke", "ha", "and where is it tested?"]
    asked = read_conversation(
        [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]
    )
    assert asked is not None and asked.need is Need.EVIDENCE and "pre_load" in asked.text


@pytest.mark.parametrize(
    "text", ["does it have an orm?", "and does it support websockets too?", "can I use it with celery?"]
)
def test_a_feature_is_asked_of_the_project_and_judged_by_its_own_name(text):
    asked = read_conversation([*CSRF, user(text)])
    assert asked.judged.rstrip("?") in text and "CSRF" not in asked.judged
    assert asked.alone and asked.is_of_workspace
    assert "CSRF" in asked.text, "the subject may still be meant"


LEADS = (
    *("ok ", "ok and ", "ok, and ", "and ", "cool, and ", "great. now ", "alright so ", "Alright, so ", "got it, and "),
    *("ok cool thanks, and ", "yes but ", "and now ", "hmm ok then, ", "so basically ", "perfect, thank you! And "),
)
FEATURES = (
    *("does it support http/2?", "does it have an ORM?", "is there support for graphql?", "can I use it with deno?"),
    "is it compatible with redis clusters?",
)


@pytest.mark.parametrize("before", [(), CSRF], ids=["first", "later"])
@pytest.mark.parametrize("feature", FEATURES)
def test_what_leads_over_to_a_question_for_a_feature_changes_nothing(feature, before):
    plain = read_conversation([*before, user(feature)])
    assert plain is not None and "CSRF" not in plain.judged
    for lead in LEADS:
        led = read_conversation([*before, user(lead + feature)])
        assert led is not None
        same = ("text", "judged", "need", "carried", "discussed", "alone", "is_of_workspace", "may_be_general")
        assert [(name, getattr(led, name)) for name in same] == [(name, getattr(plain, name)) for name in same], lead


def test_what_is_there_is_asked_alike_with_and_without_an_assent_before_it():
    for lead in ("ok ", "alright ", "cool, "):
        assert read_conversation([*CSRF, user(f"{lead}is there an ORM?")]).text == "is there an ORM?", lead
    assert "CSRF" in read_conversation([*CSRF, user("and is there an exemption?")]).text, "a follow-up remains one"


@pytest.mark.parametrize("text", ["why does it support http/2?", "the router of ok does it have"])
def test_words_of_the_question_itself_are_no_lead(text):
    assert read_conversation([user(text)]).text.startswith(text[:10])


def test_a_follow_up_that_says_what_it_is_about_may_stand_alone():
    asked = read_conversation([*CSRF, user("thanks, and where is the session secret set?")])
    assert asked.alone == "and where is the session secret set?"
    for text in (
        "and where is that tested?",
        "and for yaml",
        "fix it",
        "and the tests?",
        "what about sessions and cookies?",
    ):
        assert read_conversation([*CSRF, user(text)]).alone == "", text


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("review my changes", True),
        ("can you check my uncommitted changes?", True),
        ("what did I change?", True),
        ("look over my diff please", True),
        ("any bugs in my changes?", True),
        ("review the changes in version 3.0", False),
        ("what changes did we make to the parser?", False),
        ("check the changes of the cart", False),
        ("review this\n```diff\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n```", False),
    ],
)
def test_a_message_about_the_changes_on_disk_is_known(text, is_so):
    assert read_conversation([user(text)]).of_changes is is_so


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("review my changes", True),
        ("could you please go over my latest changes for typos?", True),
        ("review my changes and say where the cart total is computed", False),
        ("check my changes against `cart_total`", False),
        ("where is the cart total computed?", False),
    ],
)
def test_a_message_that_asks_beside_the_changes_for_something_else_is_known(text, is_so):
    assert read_conversation([user(text)]).only_of_changes is is_so
