"""What broke since a commit: definitions that changed or went away, and who has not followed, each with its verdict."""

import pytest

from helix_core.conversation import read_conversation
from helix_core.engine import Helix
from helix_core.engine.symbols.compared import change_object, compared, still_binds
from helix_core.engine.symbols.lookup import NameNeighborhood
from helix_core.errors import RefusedStatementError, UsageError
from helix_core.ingest import declarations, python_parameters
from helix_core.model import Filters
from helix_ls.cli.render.reports import draw_changes
from helix_ls.mcp.text import rendered
from tests.engine.repository import begin, git, write

SHOP = {
    "shop/__init__.py": "",
    "shop/prices.py": '''PRICE_LIMIT = 5000


def total_price(lines, currency="EUR"):
    """The sum of all prices."""
    return sum(lines)


def round_price(price):
    """Round to whole cents."""
    cents = round(price * 100)
    return cents / 100


def format_price(price):
    return f"{price} EUR"


class Basket:
    def add_line(self, name, price):
        return name, price

    def empty_all(self):
        return []
''',
    "shop/baskets.py": """from shop.prices import Basket, total_price


class GiftBasket(Basket):
    def add_line(self, name, price):
        return "gift", name, price


def checkout(lines):
    return total_price(lines, "USD")
""",
    "shop/report.py": """from shop.prices import PRICE_LIMIT, format_price, round_price


def report_line(price):
    return format_price(round_price(price)) if price < PRICE_LIMIT else ""
""",
    "tests/test_prices.py": """from shop.prices import total_price


def test_total_price():
    assert total_price([1, 2]) == 3
""",
    "docs/prices.md": "# Prices\n\nCall `total_price(lines)` for the sum.\n",
}


def changed(source):
    """The prices after the change."""
    return (
        source.replace('def total_price(lines, currency="EUR")', "def total_price(lines, taxes)")
        .replace("PRICE_LIMIT = 5000\n", "")
        .replace("def round_price", "def round_to_cents")
        .replace("def add_line(self, name, price)", "def add_line(self, name, price, count)")
        .replace("def format_price(price)", 'def format_price(price, currency="EUR")')
    )


@pytest.fixture
def shop(tmp_path):
    folder = begin(tmp_path / "shop", SHOP)
    write(folder, {"shop/prices.py": changed(SHOP["shop/prices.py"])})
    git(folder, "commit", "-qam", "Change prices")
    return folder


def asked(open_helix, folder, since="", **more):
    helix = open_helix(folder)
    helix.refresh()
    answer = helix.symbols.changes(since, **more)
    return answer, {one["symbol"]: one for one in answer["changes"]}


def places(group):
    return [(one["source_id"], one["start_line"], one["status"]) for one in group]


def test_a_change_comes_with_everybody_who_has_not_followed(shop, open_helix):
    answer, found = asked(open_helix, shop)
    assert (answer["schema"], answer["since"], answer["why"]) == ("helix.changes/1", "HEAD~1", "the commit before HEAD")
    total = found["total_price"]
    assert (total["change"], total["breaks"]) == ("signature", True)
    assert (total["was"], total["now"]) == ('total_price(lines, currency="EUR")', "total_price(lines, taxes)")
    assert places(total["users"]) == [("shop/baskets.py", 10, "verified")]
    assert places(total["tests"]) == [("tests/test_prices.py", 5, "verified")]
    [document] = total["documents"]
    assert (document["source_id"], document["status"], document["reason"]) == (
        "docs/prices.md",
        "stale_risk",
        "outdated_doc",
    )
    assert places([total["place"]]) == [("shop/prices.py", 3, "verified")]
    limit = found["PRICE_LIMIT"]
    assert (limit["change"], limit["place"]) == ("gone", None)
    assert [one["source_id"] for one in limit["users"]] == ["shop/report.py"]
    rounded = found["round_price"]
    assert (rounded["change"], rounded["now"]) == ("renamed", "round_to_cents")
    assert [one["source_id"] for one in rounded["users"]] == ["shop/report.py"]
    line = found["Basket.add_line"]
    assert [(one["source_id"], one["symbol"]) for one in line["overrides"]] == [
        ("shop/baskets.py", "GiftBasket.add_line")
    ]
    priced = found["format_price"]
    assert (priced["change"], priced["breaks"]) == ("signature", False)
    assert answer["changes"][-1]["symbol"] == "format_price", "what breaks comes first"
    assert (answer["changes_total"], answer["breaking_total"]) == (5, 4)


def test_what_is_not_committed_counts_and_a_user_that_changed_since_is_read_again(shop, open_helix):
    helix = open_helix(shop)
    helix.refresh()
    write(shop, {"shop/baskets.py": SHOP["shop/baskets.py"].replace("def checkout", "\n\n\ndef checkout")})
    write(shop, {"shop/report.py": "def report_line(price):\n    return price\n"})
    answer = helix.symbols.changes("HEAD~1")
    found = {one["symbol"]: one for one in answer["changes"]}
    assert places(found["total_price"]["users"]) == [("shop/baskets.py", 13, "verified")]
    assert found["PRICE_LIMIT"]["users"] == []
    assert [one["symbol"] for one in helix.symbols.changes("HEAD")["changes"]] == []


@pytest.mark.parametrize("is_pushed", [True, False])
def test_by_default_the_work_of_the_branch_is_compared(shop, open_helix, is_pushed):
    git(shop, "branch", "base", "HEAD" if is_pushed else "HEAD~1")
    git(shop, "branch", "--set-upstream-to=base")
    answer, _ = asked(open_helix, shop)
    assert answer["why"] == ("the commit before HEAD" if is_pushed else "where this branch left its upstream")
    write(shop, {"shop/report.py": "def report_line(price, currency):\n    return price\n"})
    answer, found = asked(open_helix, shop)
    assert answer["why"] == ("what is not committed yet" if is_pushed else "where this branch left its upstream")
    assert "report_line" in found


def test_a_definition_that_went_elsewhere_is_told_with_its_place(shop, open_helix):
    text = (shop / "shop/prices.py").read_text()
    write(
        shop,
        {
            "shop/prices.py": "from shop.moved import round_to_cents\n\n" + text[: text.index("def round_to_cents")],
            "shop/moved.py": text[text.index("def round_to_cents") :].replace("class Basket:", "class Basket(object):"),
        },
    )
    _, found = asked(open_helix, shop, "HEAD")
    assert (found["format_price"]["change"], found["format_price"]["place"]["source_id"]) == ("moved", "shop/moved.py")
    assert [one["source_id"] for one in found["format_price"]["users"]] == ["shop/report.py"]
    assert found["Basket"]["change"] == "moved"
    assert "round_to_cents" not in found, "the file still gives it to whoever imports it from there"


def test_a_definition_is_moved_where_others_of_its_name_were_before(tmp_path, open_helix):
    lock = "class Lock:\n    def __init__(self, path):\n        self.path = path\n\n\ndef create(size):\n" + "".join(
        f"    step_{number} = size + {number}\n" for number in range(6)
    )
    files = {
        "app/lock.py": lock,
        "app/settings.py": "class Lock:\n    default = 1\n",
        "app/wire.py": "def create(other):\n    return other\n",
    }
    folder = begin(tmp_path / "locks", files)
    git(folder, "mv", "app/lock.py", "app/pidlock.py")
    _, found = asked(open_helix, folder, "HEAD")
    assert {name: (one["change"], one["place"]["source_id"]) for name, one in found.items()} == {
        "Lock": ("moved", "app/pidlock.py"),
        "create": ("moved", "app/pidlock.py"),
    }
    write(folder, {"app/pidlock.py": "def create(size):\n    return [size]\n"})
    _, found = asked(open_helix, folder, "HEAD")
    assert {name: one["change"] for name, one in found.items()} == {"Lock": "gone", "create": "gone"}


def test_a_method_that_a_base_class_has_now_is_inherited_and_breaks_nothing(shop, open_helix):
    gift = "from shop.prices import Basket as Plain\n\n\nclass GiftBasket(Plain):\n    pass\n"
    write(shop, {"shop/baskets.py": gift})
    _, found = asked(open_helix, shop, "HEAD")
    line = found["GiftBasket.add_line"]
    assert (line["change"], line["now"]) == ("inherited", "Basket.add_line(name, price, count)")
    assert line["breaks"] is True, "the base class wants one more argument"
    assert found["checkout"]["change"] == "gone"


BOX = "class {}:\n{}    def fill(self):\n        return []\n"
INIT = "    def __init__(self, size, **options):\n        self.size = size\n\n"


def test_a_constructor_that_says_what_the_inherited_one_said_is_no_change(tmp_path, open_helix):
    files = {
        "box/__init__.py": "",
        "box/base.py": BOX.format("Box", INIT),
        "box/cold.py": "from box import base\n\n\n" + BOX.format("Box(base.Box)", ""),
        "box/small.py": "from box import cold\n\n\n" + BOX.format("Small(cold.Box)", ""),
        "box/plain.py": BOX.format("Plain", ""),
        "box/other.py": "from library import Base\n\n\n" + BOX.format("Other(Base)", ""),
    }
    folder = begin(tmp_path / "boxes", files)
    for name in ("cold", "plain", "other"):
        path = f"box/{name}.py"
        write(folder, {path: files[path].replace("    def fill", INIT + "    def fill")})
    less = INIT.replace("size, **options", "size")
    write(folder, {"box/small.py": files["box/small.py"].replace("    def fill", less + "    def fill")})
    answer, found = asked(open_helix, folder, "HEAD")
    assert found.keys() == {"Small", "Plain", "Other"}
    assert (found["Plain"]["was"], found["Plain"]["now"]) == ("Plain()", "Plain(size, **options)")
    assert found["Small"]["was"] == "Small(size, **options)"
    assert found["Other"]["was"] == "Other", "nobody knows the constructor of a base from a library"
    assert found["Other"]["detail"] == "has a constructor of its own now"
    assert answer["breaking_total"] == 3


def test_a_call_of_a_static_method_does_not_use_the_constructor(tmp_path, open_helix):
    files = {
        "box/box.py": "class LargeBox:\n" + INIT + "    @staticmethod\n    def parse(text):\n        return text\n",
        "box/reading.py": "from box.box import LargeBox\n\n\ndef read(text):\n    return LargeBox.parse(text)\n",
        "box/making.py": "from box.box import LargeBox\n\n\ndef make(text):\n    return LargeBox(text)\n",
    }
    folder = begin(tmp_path / "boxes", files)
    write(folder, {"box/box.py": files["box/box.py"].replace("size, **", "size, height, **")})
    _, found = asked(open_helix, folder, "HEAD")
    assert places(found["LargeBox"]["users"]) == [("box/making.py", 5, "verified")]
    assert found["LargeBox"]["users_total"] == 1


def test_a_file_that_went_away_takes_its_definitions_with_it(shop, open_helix):
    (shop / "shop/prices.py").unlink()
    _, found = asked(open_helix, shop, "HEAD")
    assert found["Basket"]["change"] == "gone"
    assert "Basket.add_line" not in found, "a method goes with its class"
    assert {one["source_id"] for one in found["Basket"]["users"]} == {"shop/baskets.py"}


def test_secrets_of_an_old_signature_are_masked(tmp_path, open_helix):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    folder = begin(tmp_path / "secret", {"keys.py": f'def connect(token="{secret}"):\n    return token\n'})
    write(folder, {"keys.py": "def connect(token, host):\n    return token\n"})
    answer, found = asked(open_helix, folder, "HEAD")
    assert found["connect"]["change"] == "signature"
    assert secret not in str(answer)


@pytest.mark.parametrize("module", ["my-lib", "my+lib", "my lib", "@my/lib+2", "mein-größe"])
def test_a_file_with_an_odd_name_hides_nobody_who_imports_it(tmp_path, open_helix, module):
    folder = begin(
        tmp_path / "web",
        {
            f"src/{module}.ts": "export function makeThing(a: string) {\n  return a\n}\n",
            "src/app.ts": f"import {{ makeThing }} from './{module}'\n\nexport const app = () => makeThing('x')\n",
        },
    )
    write(folder, {f"src/{module}.ts": "export function makeThing(a: string, b: number) {\n  return a + b\n}\n"})
    _, found = asked(open_helix, folder, "HEAD")
    assert {one["source_id"] for one in found["makeThing"]["users"]} == {"src/app.ts"}


def test_one_change_that_cannot_be_looked_up_hides_no_other(shop, open_helix, monkeypatch):
    around = NameNeighborhood.users

    def users(self):
        if self._name == "total_price":
            raise RefusedStatementError("a statement was refused")
        return around(self)

    monkeypatch.setattr(NameNeighborhood, "users", users)
    answer, found = asked(open_helix, shop, "HEAD~1")
    assert found["total_price"]["change"] == "signature"
    assert found["total_price"]["users"] == []
    assert found["round_price"]["users"], "the others are looked up"
    assert "who uses total_price is not known: a statement was refused" in answer["notes"]


def test_what_is_not_compared_is_said(tmp_path, open_helix, capsys):
    folder = begin(tmp_path / "dart", {"main.dart": "int total(int a) { return a; }\n"})
    write(folder, {"main.dart": "int total(int a, int b) { return a; }\n"})
    answer, found = asked(open_helix, folder, "HEAD")
    assert found == {}
    note = "signatures of changed files in dart are not compared; see them with git diff"
    assert answer["notes"] == [f"no changed file was compared: {note}"]
    assert rendered(answer).startswith("not compared since HEAD")
    draw_changes(answer, folder)
    assert capsys.readouterr().out.startswith("Not compared since HEAD")
    write(folder, {"main.py": "def total(a):\n    return a\n"})
    git(folder, "add", "-A")
    answer, _ = asked(open_helix, folder, "HEAD")
    assert note in answer["notes"] and rendered(answer).startswith("0 changed since HEAD"), "Python was compared"


@pytest.mark.parametrize("since", ["--upload-pack=touch pwned", "nowhere", "HEAD\n", "HEAD:shop"])
def test_what_names_no_commit_is_one_error(shop, open_helix, since):
    with pytest.raises(UsageError, match="there is no commit"):
        asked(open_helix, shop, since)


def test_a_user_that_only_has_the_name_is_listed_as_such(tmp_path, open_helix, capsys):
    files = {
        "api.rb": "class Work\n  def raw(name)\n    name\n  end\nend\n",
        "job.rb": "require_relative 'api'\n\ndef go(results)\n  results[0].raw\nend\n",
    }
    folder = begin(tmp_path / "ruby", files)
    write(folder, {"api.rb": files["api.rb"].replace("raw", "other")})
    answer, _ = asked(open_helix, folder, "HEAD")
    draw_changes(answer, folder)
    told = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(told) if "job.rb:4" in line)
    assert told[at + 1].strip() == "by its name only"


def test_a_commit_that_a_shallow_clone_lacks_is_told_as_such(tmp_path, open_helix):
    folder = begin(tmp_path / "whole", {"a.py": "A = 1\n"})
    write(folder, {"a.py": "A = 2\n"})
    git(folder, "commit", "-qam", "two")
    git(tmp_path, "clone", "-q", "--depth", "1", folder.as_uri(), "shallow")
    with pytest.raises(UsageError, match=r"HEAD~1' in this shallow clone; `git fetch --unshallow`"):
        asked(open_helix, tmp_path / "shallow", "HEAD~1")


def test_a_file_in_conflict_is_named(tmp_path, open_helix):
    folder = begin(tmp_path / "merge", {"a.py": "def total(a):\n    return a\n"})
    git(folder, "checkout", "-q", "-b", "side")
    write(folder, {"a.py": "def total(a, b):\n    return a\n"})
    git(folder, "commit", "-qam", "side")
    git(folder, "checkout", "-q", "-")
    write(folder, {"a.py": "def total(a, c):\n    return a\n"})
    git(folder, "commit", "-qam", "main")
    git(folder, "merge", "-q", "side", check=False)
    answer, _ = asked(open_helix, folder, "HEAD")
    assert "a.py is in conflict: what changes there shows once that is resolved" in answer["notes"]


def test_a_class_without_a_name_is_no_part_that_could_not_be_parsed(tmp_path, open_helix):
    text = "class Pool {\n  int size(int a) { run(new Runnable() { public void run() {} }); return a; }\n}\n"
    folder = begin(tmp_path / "java", {"Pool.java": text})
    write(folder, {"Pool.java": text.replace("int a", "int a, int b")})
    answer, found = asked(open_helix, folder, "HEAD")
    assert list(found) == ["Pool.size"] and not any("in part" in note for note in answer["notes"])


def test_without_a_repository_the_error_says_what_to_do(tmp_path, open_helix):
    write(tmp_path / "plain", {"a.py": "A = 1\n"})
    with pytest.raises(UsageError, match="this folder is in no repository"):
        asked(open_helix, tmp_path / "plain")


def test_at_most_so_many_changes_and_the_rest_is_counted(shop, open_helix):
    answer, found = asked(open_helix, shop, k=2, uses=1)
    assert len(found) == 2
    assert answer["changes_total"] == 5
    assert all(one["breaks"] for one in found.values())


@pytest.mark.parametrize(
    ("before", "after", "binds"),
    [
        ("a, b", "a, b, c=1", True),
        ("a, b", "a, b, *, c=1", True),
        ("a, b", "a, b, **rest", True),
        ("a, *, b", "a, b", True),
        ("a, b=1", "a, b=2", True),
        ("a, b", "b, a", False),
        ("a, b", "a", False),
        ("a", "a, b", False),
        ("a", "a, *, b", False),
        ("a", "c", False),
        ("a, b=1", "a, b", False),
        ("a, b", "a, *, b", False),
        ("a", "a, /", False),
        ("a, *args", "a", False),
        ("a, **options", "a", False),
        ("a, b", "c=1, a=1, b=1", False),
    ],
)
def test_a_signature_still_binds_where_every_old_call_fits(before, after, binds):
    assert still_binds(python_parameters(before), python_parameters(after)) is binds


@pytest.mark.parametrize(
    ("before", "after", "is_listed"),
    [
        ("mask='**'", 'mask="**"', False),
        ("marks=('a', {'b': 1})", 'marks=("a", {"b": 1})', False),
        ("mask='**'", 'mask="--"', True),
        ("mask='\"'", 'mask="\'"', True),
        ("mask='a'", "mask=a", True),
    ],
)
def test_the_quotes_of_a_default_are_no_change(before, after, is_listed):
    then, now = (f"def hide(text, {one}):\n    return text\n".encode() for one in (before, after))
    assert bool(compared(b"a.py", then, now)) is is_listed


def test_who_asks_for_a_review_of_the_changes_gets_what_is_not_committed(tmp_path):
    folder = begin(tmp_path / "shop", SHOP)
    asked = read_conversation([{"role": "user", "content": "can you review my changes?"}])
    with Helix.open(folder) as helix:
        helix.refresh()
        clean = helix.context("can you review my changes?", asked=asked)
        assert (clean["blocks"], clean["unsearched"]) == ([], "nothing here differs from the last commit")
        write(folder, {"shop/prices.py": SHOP["shop/prices.py"].replace("price * 100", "price * 1000")})
        answer = helix.context("can you review my changes?", asked=asked)
        assert [(one["source_id"], one["symbol"]) for one in answer["blocks"]] == [("shop/prices.py", "round_price")]
        assert answer["blocks"][0]["status"] == "verified"


def shown(packet):
    return [item["source_id"] for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]


def test_a_review_of_the_changes_shows_these_alone(tmp_path):
    folder = begin(tmp_path / "shop", SHOP | {"docs/review.md": "# Review\n\nHow to review changes of prices.\n"})
    with Helix.open(folder) as helix:
        helix.refresh()
        clean = helix.packet("review my changes for mistakes")
        assert (shown(clean), clean["unsearched"]) == ([], "nothing here differs from the last commit")
        assert "docs/review.md" in shown(helix.packet("review my changes, and where is how to review them written?"))
        write(folder, {"shop/new.py": "def added():\n    return 'see docs/review.md:3'\n"})
        helix.refresh()
        assert shown(helix.packet("review my changes")) == ["shop/new.py"], "a new file is a change"
        git(folder, "add", "-A")
        assert shown(helix.packet("review my changes")) == ["shop/new.py"], "what the edit quotes is none"
        assert shown(helix.packet("review my changes", filters=Filters(paths=("docs/",)))) == []


def test_without_a_commit_nothing_is_shown_as_a_change(tmp_path):
    write(tmp_path, SHOP)
    with Helix.open(tmp_path) as helix:
        helix.refresh()
        answer = helix.packet("what did I change?")
    assert shown(answer) == [] and "git repository" in answer["unsearched"]


@pytest.mark.parametrize(
    ("before", "after", "is_listed"),
    [
        ("const f = (a: string) =>\n  a", "const f = (a: string, b: number) =>\n  a", True),
        ("export const f = (a: string) => {\n}", "export const f = (a: string, b: number) => {\n}", True),
        ("const f = async <T,>(a: T): Promise<T> => a", "const f = async <T,>(a: T, b: T): Promise<T> => a", True),
        ("const f = a => a", "const f = (a, b) => a", True),
        ("const f = function (a) {\n}", "const f = function* named(a, b) {\n}", True),
        ("const f: Handler = (a) => {\n}", "const f: Handler = (a, b) => {\n}", True),
        ("function f(a: string) {\n}", "const f = (a: string) => {\n}", False),
        ("const f = (a: string) => a", "const f = (a: number): number =>\n  a + 1", False),
        ("const f = (1 + 2)", "const f = (1 + 3)", False),
        ("const f = make((a) => a)", "const f = make((a, b) => a)", False),
        ("const f = (() => 1)()", "const f = ((a) => 1)()", False),
        ("const f = (a) => a", "const f = make((a, b) => a)", False),
    ],
)
def test_a_function_that_is_bound_to_a_name_has_a_signature(before, after, is_listed):
    found = compared(b"a.ts", f"{before}\n".encode(), f"{after}\n".encode())
    assert [(one.kind, one.then.chain) for one in found] == ([("signature", ("f",))] if is_listed else [])


def test_what_a_bound_function_has_inside_is_no_declaration():
    text = b"const f = (a) => {\n  const inner = (b) => b\n  function other(c) {}\n}\nconst g = (d) => d\n"
    assert [one.chain for one in declarations(text, "typescript")] == [("f",), ("g",)]


@pytest.mark.parametrize("language", ["py", "ts"])
def test_the_constants_of_a_file_with_a_new_name_are_moved(tmp_path, open_helix, language):
    text = {
        "py": 'HOOKS = ["response"]\nLIMIT = 3\n\n\ndef default_hooks():\n    return {event: [] for event in HOOKS}\n',
        "ts": "export const HOOKS = ['response']\nexport const LIMIT = 3\n\nexport function defaultHooks() {\n"
        "  return HOOKS.map((event) => [event, LIMIT])\n}\n",
    }[language]
    folder = begin(tmp_path / "moved", {f"src/hooks.{language}": text})
    git(folder, "mv", f"src/hooks.{language}", f"src/hooks2.{language}")
    _, found = asked(open_helix, folder, "HEAD")
    assert {one["change"] for one in found.values()} == {"moved"}
    assert {"HOOKS", "LIMIT"} <= found.keys()


PIDFILE = '''class PidFile:
    """The file with the number of the process."""

    def make_file(self, pid):
        opened = open(self.name, "w")
        opened.write(str(pid))
        return opened

    def unlink_file(self):
        remove(self.name)
        return True
'''
ARBITER = """from app.pidfile import PidFile


def start_all(pid):
    held = PidFile()
    held.make_file(pid)
    held.unlink_file()
"""


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            lambda text: ("app/pid.py", text),
            {"PidFile": "moved"},
        ),
        (
            lambda text: (
                "app/pid.py",
                text.replace("make_file", "create").replace("unlink_file(self", "unlink_file(self, force"),
            ),
            {"PidFile": "moved", "PidFile.make_file": "renamed", "PidFile.unlink_file": "signature"},
        ),
        (
            lambda text: (
                "app/pidfile.py",
                text.replace("class PidFile", "class ProcessFile").replace(
                    "unlink_file(self", "unlink_file(self, force"
                ),
            ),
            {"PidFile": "renamed", "PidFile.unlink_file": "signature"},
        ),
    ],
)
def test_what_moved_or_was_renamed_has_its_members_compared(tmp_path, open_helix, change, expected):
    folder = begin(tmp_path / "project", {"app/__init__.py": "", "app/pidfile.py": PIDFILE, "app/arbiter.py": ARBITER})
    path, text = change(PIDFILE)
    (folder / "app/pidfile.py").unlink()
    write(folder, {path: text})
    engine = open_helix(folder)
    engine.refresh()
    changes = engine.symbols.changes("HEAD")["changes"]
    assert {one["was"].partition("(")[0]: one["change"] for one in changes} == expected
    assert all(one["place"]["source_id"] == path for one in changes)
    # Who calls a member of a class under its former name is told as a user of that.
    used = [one for one in changes if "PidFile" in text or one["was"].startswith("PidFile(")]
    assert all(any(each["source_id"] == "app/arbiter.py" for each in one["users"]) for one in used)


@pytest.mark.parametrize(
    ("then", "now", "detail"),
    [
        ("def area(self):", "@property\n    def area(self):", "is a property now"),
        ("@cached_property\n    def area(self):", "def area(self):", "is called now"),
        ("def area(self):", "async def area(self):", "is awaited now"),
        ("def area(self):", "@override\n    def area(self):", ""),
    ],
)
def test_what_is_read_awaited_or_called_in_another_way_breaks_its_users(then, now, detail):
    text = "class Box:\n    {}\n        return 1\n"
    changes = compared(b"box.py", text.format(then).encode(), text.format(now).encode())
    assert [(change_object(one)["detail"], one.breaks) for one in changes] == ([(detail, True)] if detail else [])


MEMBERS = {
    "lib/response.js": "var res = module.exports = {};\n\nres.cookie = function (name, value) {\n  return name;\n};\n\n"
    "res.download = function download (path) {\n  var file = path;\n  return file;\n};\n",
    "lib/cart.js": "function Cart () {}\n\nCart.prototype.total = function (rate) {\n  return rate;\n};\n\n"
    "exports.tools = {\n  compute(a) {\n    return a;\n  },\n};\n",
    "app.js": "var res = require('./lib/response');\n\nfunction show () {\n  return res.cookie('a', 'b');\n}\n",
}


def test_functions_that_are_members_of_an_object_are_compared(tmp_path, open_helix):
    folder = begin(tmp_path / "project", MEMBERS)
    response = MEMBERS["lib/response.js"].replace("(name, value)", "(name)").replace("download", "downloadNow")
    cart = MEMBERS["lib/cart.js"].replace("total = function (rate)", "total = function (rate, tax)")
    write(folder, {"lib/response.js": response, "lib/cart.js": cart.replace("compute(a)", "compute(a, b)")})
    engine = open_helix(folder)
    engine.refresh()
    answer = engine.symbols.changes("HEAD")
    found = {(one["change"], one["was"], one["now"]) for one in answer["changes"]}
    assert found == {
        ("signature", "res.cookie(name, value)", "res.cookie(name)"),
        ("renamed", "res.download(path)", "res.downloadNow"),
        ("signature", "Cart.total(rate)", "Cart.total(rate, tax)"),
        ("signature", "tools.compute(a)", "tools.compute(a, b)"),
    }
    (cookie,) = [one for one in answer["changes"] if one["symbol"] == "res.cookie"]
    assert [one["source_id"] for one in cookie["users"]] == ["app.js"]


@pytest.mark.parametrize(
    "kept", ["alias_method :find_by_id, :find", 'alias_method "find_by_id", "find"', "alias find_by_id find"]
)
def test_a_method_of_ruby_that_an_alias_keeps_is_not_gone(kept):
    then = b"class Work\n  def find_by_id(id)\n    id + 1\n  end\nend\n"
    now = f"class Work\n  def find(id)\n    id + 1\n  end\n  {kept}\nend\n".encode()
    assert compared(b"work.rb", then, now) == []
    (renamed,) = compared(b"work.rb", then, now.replace(b"find_by_id", b"find_by_ids"))
    assert renamed.kind == "renamed"


def test_changed_files_of_terraform_are_named_as_not_compared(tmp_path, open_helix):
    folder = begin(tmp_path / "project", {"main.tf": 'variable "zone" {\n}\n'})
    write(folder, {"main.tf": 'variable "region" {\n}\n'})
    engine = open_helix(folder)
    engine.refresh()
    assert any("files in terraform are not compared" in note for note in engine.symbols.changes("HEAD")["notes"])


def test_what_moved_beside_it_into_a_file_that_looks_like_a_test_is_moved(tmp_path, open_helix):
    text = "class QueueTesting\n  def clear_all(queue)\n    queue\n  end\nend\n"
    folder = begin(tmp_path / "project", {"lib/testing.rb": text})
    write(folder, {"lib/test_api.rb": text, "lib/testing.rb": "require_relative 'test_api'\n"})
    engine = open_helix(folder)
    engine.refresh()
    (moved,) = engine.symbols.changes("HEAD")["changes"]
    assert (moved["change"], moved["symbol"]) == ("moved", "QueueTesting")


def used_by(change):
    return sorted(f"{one['source_id']}:{one['start_line']}" for one in (*change["users"], *change["tests"]))


def test_who_imports_a_module_that_moved_has_not_followed(tmp_path, open_helix, capsys):
    files = {
        "pkg/__init__.py": "from pkg.wait import default_wait\n",
        "pkg/wait.py": "def default_wait():\n    return 1\n\n\nclass Wait:\n    pass\n",
        "pkg/near.py": "from .wait import default_wait as wait_for\n\n\ndef go():\n    return wait_for()\n",
        "pkg/whole.py": "from . import wait\n\n\ndef go():\n    return wait.default_wait()\n",
        "pkg/dotted.py": "import pkg.wait\n\n\ndef go():\n    return pkg.wait.Wait()\n",
        "pkg/followed.py": "from pkg.waiting import Wait, default_wait\n\nWAIT = Wait(), default_wait()\n",
        "pkg/load.py": "import pkg.wait  # registers\n",
    }
    folder = begin(tmp_path / "moved", files)
    git(folder, "mv", "pkg/wait.py", "pkg/waiting.py")
    answer, found = asked(open_helix, folder, "HEAD")
    assert {name: one["change"] for name, one in found.items()} == {"default_wait": "moved", "Wait": "moved"}
    assert used_by(found["default_wait"]) == ["pkg/__init__.py:1", "pkg/near.py:1", "pkg/near.py:5", "pkg/whole.py:5"]
    assert used_by(found["Wait"]) == ["pkg/dotted.py:5"]
    (note,) = [note for note in answer["notes"] if "still import" in note]
    assert note == (
        "5 files still import pkg/wait.py, which is not there any more: pkg/__init__.py:1, pkg/dotted.py:1, "
        "pkg/load.py:1, pkg/near.py:1, pkg/whole.py:1"
    )
    write(folder, {"pkg/wait/__init__.py": "from pkg.waiting import Wait, default_wait\n"})
    answer, _ = asked(open_helix, folder, "HEAD")
    assert not any("still import" in note for note in answer["notes"]), "a package of that name is there"


@pytest.mark.parametrize("is_moved", [True, False])
def test_a_class_of_php_that_left_its_namespace_leaves_its_users_behind(tmp_path, open_helix, is_moved):
    turning = "<?php\nnamespace Shop\\Log;\n\nclass TurningLog\n{\n}\n"
    files = {
        "src/Log/TurningLog.php": turning,
        "src/Log/Near.php": "<?php\nnamespace Shop\\Log;\n\nclass Near extends TurningLog\n{\n}\n",
        "src/Main.php": "<?php\nnamespace Shop;\n\nuse Shop\\Log\\TurningLog;\n\n$one = new TurningLog();\n",
        "src/Rot/Followed.php": "<?php\nnamespace Shop\\Rot;\n\n$one = new TurningLog();\n",
        "src/Other.php": "<?php\nnamespace Shop;\n\n$one = new \\TurningLog();\n",
    }
    folder = begin(tmp_path / "php", files)
    git(folder, "rm", "-q", "src/Log/TurningLog.php")
    if is_moved:
        write(folder, {"src/Rot/TurningLog.php": turning.replace("Shop\\Log", "Shop\\Rot")})
    _, found = asked(open_helix, folder, "HEAD")
    assert found["TurningLog"]["change"] == ("moved" if is_moved else "gone")
    sure = {**found["TurningLog"], "users": [one for one in found["TurningLog"]["users"] if not one.get("by_name")]}
    assert used_by(sure) == ["src/Log/Near.php:4", "src/Main.php:6"]
    by_name = [one["source_id"] for one in found["TurningLog"]["users"] if one.get("by_name")]
    assert by_name == ([] if is_moved else ["src/Rot/Followed.php"]), "what it means there is nowhere"
    if not is_moved:
        former = open_helix(folder).symbols.about("TurningLog")
        assert used_by(former) == used_by(found["TurningLog"])


def test_a_class_of_php_that_an_alias_keeps_is_not_gone(tmp_path, open_helix):
    files = {"src/Old.php": "<?php\nnamespace Shop;\n\nclass OldName\n{\n}\n"}
    folder = begin(tmp_path / "php", files)
    renamed = "<?php\nnamespace Shop;\n\nclass NewName\n{\n    public $a;\n}\n"
    write(folder, {"src/Old.php": renamed})
    assert asked(open_helix, folder, "HEAD")[1]["OldName"]["change"] == "renamed"
    write(folder, {"src/Old.php": f"{renamed}\nclass_alias(NewName::class, 'Shop\\OldName');\n"})
    assert asked(open_helix, folder, "HEAD")[1] == {}
    write(folder, {"src/Old.php": f"{renamed}\nclass_alias(NewName::class, 'Other\\OldName');\n"})
    assert asked(open_helix, folder, "HEAD")[1]["OldName"]["change"] == "renamed"


def test_users_by_the_name_alone_of_a_method_that_is_gone_are_counted(tmp_path, open_helix, capsys):
    retry = "class Retry:\n    def call_again(self, do):\n        return do()\n"
    caller = "class Client:\n    def go(self, conn):\n        return conn.retry.call_again(1)\n"
    files = {"app/retry.py": retry, "app/later.py": retry} | {f"app/client_{at}.py": caller for at in range(7)}
    folder = begin(tmp_path / "retries", files)
    write(folder, {"app/retry.py": retry.replace("call_again", "call_anew")})
    answer, found = asked(open_helix, folder, "HEAD")
    change = found["Retry.call_again"]
    assert (change["users_total"], change["totals_exact"]) == (7, False)
    assert all(one["by_name"] for one in change["users"])
    draw_changes(answer, folder)
    assert "users, about 2 more" in capsys.readouterr().out


def test_lines_that_may_mean_another_are_no_claim_that_nothing_uses_it(tmp_path, open_helix, capsys):
    box = "class Box:\n    def fill(self):\n        return 1\n"
    files = {"app/box.py": box, "app/pot.py": "class Pot:\n    def fill(self):\n        return 2\n"}
    files |= {"app/use.py": "def go(thing):\n    return thing.fill()\n"}
    folder = begin(tmp_path / "boxes", files)
    write(folder, {"app/box.py": box.replace("fill", "stuff")})
    answer, found = asked(open_helix, folder, "HEAD")
    assert (found["Box.fill"]["users"], found["Box.fill"]["untold"]) == ([], 1)
    draw_changes(answer, folder)
    said = "no use of it was recognized here; 1 line has its name and may mean another"
    assert said in capsys.readouterr().out and said in rendered(answer)


def test_what_moved_between_files_of_c_is_declared_where_it_was(tmp_path, open_helix):
    files = {
        "src/idna.h": "int idna_length(const char* s);\n",
        "src/idna.c": '#include "idna.h"\n#include "copy.h"\n\nint idna_length(const char* s) {\n  return s[0];\n}\n',
        "src/copy.h": "#ifndef COPY_H\n#define COPY_H\nint copy_all(const char* s);\n#endif\n",
        "src/copy.c": '#include "copy.h"\n\nint copy_all(const char* s) {\n  return s[0];\n}\n',
        "src/use.c": '#include "idna.h"\n\nint use_it(void) {\n  return idna_length("a");\n}\n',
    }
    folder = begin(tmp_path / "c", files)
    git(folder, "mv", "src/idna.c", "src/idn.c")
    git(folder, "mv", "src/copy.h", "src/copying.h")
    answer, found = asked(open_helix, folder, "HEAD")
    moved = found["idna_length"]
    assert (moved["change"], moved["breaks"], moved["place"]["source_id"]) == ("moved", False, "src/idn.c")
    assert found["copy_all"]["breaks"] is True
    (note,) = [note for note in answer["notes"] if "still import" in note]
    assert note.endswith("src/copy.h, which is not there any more: src/copy.c:1, src/idn.c:2")


def test_what_moved_is_not_used_by_what_went_with_it_and_tests_in_it_break_nobody(tmp_path, open_helix):
    text = (
        "pub struct NestedPath;\n\nimpl NestedPath {\n    pub fn depth_of(&self) -> i32 {\n        1\n    }\n}\n\n"
        "#[cfg(test)]\nmod tests {\n    use super::NestedPath;\n\n    #[test]\n    fn is_nested() {\n"
        "        assert_eq!(1, NestedPath.depth_of());\n    }\n}\n"
    )
    files = {
        "Cargo.toml": "[package]\nname = 'x'\n",
        "src/lib.rs": "mod nested;\nmod used;\n",
        "src/nested.rs": text,
        "src/used.rs": "use crate::nested::NestedPath;\n\nfn go(one: NestedPath) -> i32 {\n    one.depth_of()\n}\n",
    }
    folder = begin(tmp_path / "rust", files)
    git(folder, "mv", "src/nested.rs", "src/nesting.rs")
    _, found = asked(open_helix, folder, "HEAD")
    assert list(found) == ["NestedPath"] and used_by(found["NestedPath"]) == ["src/used.rs:3"]
