"""What a path alone says of a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.ingest.provenance import KIND_OF_EXTENSION, KIND_OF_NAME, provenance
from helix_core.model import Authority, Role, SourceKind, Volatility


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/flask/app.py", Role.IMPLEMENTATION),
        ("src/flask/testing.py", Role.IMPLEMENTATION),
        ("lib/sqlalchemy/testing/assertions.py", Role.IMPLEMENTATION),
        ("lib/sqlalchemy/testing/fixtures/orm.py", Role.IMPLEMENTATION),
        ("django/test/client.py", Role.IMPLEMENTATION),
        ("django/core/management/commands/test.py", Role.IMPLEMENTATION),
        ("django/db/migrations/state.py", Role.IMPLEMENTATION),
        ("src/history.py", Role.IMPLEMENTATION),
        ("src/releases/index.ts", Role.IMPLEMENTATION),
        ("db/schema.sql", Role.IMPLEMENTATION),
        ("src/contest.py", Role.IMPLEMENTATION),
        ("src/latest/main.go", Role.IMPLEMENTATION),
        ("tests/test_basic.py", Role.TEST),
        ("tests/helpers.py", Role.TEST),
        ("test/orm/inheritance.py", Role.TEST),
        ("testing/code/test_source.py", Role.TEST),
        ("regress/copy-mode.sh", Role.TEST),
        ("regress/conf/one.conf", Role.TEST),
        ("regression/parse.c", Role.TEST),
        ("regression/logistic.py", Role.IMPLEMENTATION),
        ("t/t0001-init.sh", Role.TEST),
        ("t/basic.t", Role.TEST),
        ("t/index.ts", Role.IMPLEMENTATION),
        ("conftest.py", Role.TEST),
        ("pkg/conftest.py", Role.TEST),
        ("app/tests.py", Role.TEST),
        ("app/test_models.py", Role.TEST),
        ("src/query/tests/api.ts", Role.TEST),
        ("src/slice.test.ts", Role.TEST),
        ("src/slice.test-d.ts", Role.TEST),
        ("src/App.spec.jsx", Role.TEST),
        ("src/__tests__/App.jsx", Role.TEST),
        ("net/http/server_test.go", Role.TEST),
        ("src/test/java/org/x/Foo.java", Role.TEST),
        ("core/src/main/java/org/x/FooTest.java", Role.TEST),
        ("core/src/main/java/org/x/Contest.java", Role.IMPLEMENTATION),
        ("spec/models/user_spec.rb", Role.TEST),
        ("Shop.Tests/CartTests.cs", Role.TEST),
        ("benchmarks/speed.py", Role.TEST),
        ("src/benchmark/scheduler.rs", Role.IMPLEMENTATION),
        ("src/test/worker.rs", Role.TEST),
        ("crates/core/benches/parse.rs", Role.TEST),
        ("testdata/config.json", Role.TEST),
        ("shop-test/cart.kt", Role.TEST),
        ("shop-integration-test/src/main/kotlin/Cart.kt", Role.TEST),
        ("projects/core/koin-test/src/jvmTest/kotlin/CheckTest.kt", Role.TEST),
        ("projects/core/koin-test/src/jvmMain/kotlin/CheckModules.kt", Role.IMPLEMENTATION),
        ("spring-test/src/main/java/org/x/MockMvc.java", Role.IMPLEMENTATION),
        ("lib/sidekiq/test_api.rb", Role.IMPLEMENTATION),
        ("test/lib/test_api.rb", Role.TEST),
        ("test/test_api.rb", Role.TEST),
        ("examples/tutorial/flaskr/db.py", Role.EXAMPLE),
        ("docs_src/first_steps/tutorial001.py", Role.EXAMPLE),
        ("demo/index.html", Role.EXAMPLE),
        ("samples/package.json", Role.EXAMPLE),
        ("CHANGES.rst", Role.HISTORY),
        ("CHANGELOG.md", Role.HISTORY),
        ("ChangeLog-2.3.txt", Role.HISTORY),
        ("NEWS", Role.HISTORY),
        ("docs/news.rst", Role.HISTORY),
        ("docs/releases/1.10.txt", Role.HISTORY),
        ("doc/build/changelog/migration_14.rst", Role.HISTORY),
        (".changeset/brave-cats.md", Role.HISTORY),
        ("README.md", Role.DOC),
        ("docs/tutorial/deploy.rst", Role.DOC),
        ("docs/topics/testing/tools.txt", Role.DOC),
        ("docs/conf.py", Role.DOC),
        ("LICENSE", Role.DOC),
        ("pyproject.toml", Role.CONFIG),
        (".github/workflows/tests.yml", Role.CONFIG),
        ("Dockerfile", Role.CONFIG),
        ("src/Makefile.am", Role.CONFIG),
        (".npmignore", Role.CONFIG),
        ("requirements-dev.txt", Role.CONFIG),
        ("vendor/github.com/x/y.go", Role.VENDORED),
        ("pip/_vendor/requests/api.py", Role.VENDORED),
        ("web/node_modules/react/index.js", Role.VENDORED),
        ("admin/js/vendor/jquery/jquery.js", Role.VENDORED),
    ],
)
def test_the_role_is_read_from_the_path(path: str, role: Role) -> None:
    assert provenance(path.encode()).role is role


@pytest.mark.parametrize(
    ("path", "kind", "volatility"),
    [
        ("a.py", SourceKind.CODE, Volatility.STABLE),
        ("Makefile", SourceKind.CODE, Volatility.STABLE),
        ("settings.py.example", SourceKind.CODE, Volatility.STABLE),
        ("a.rst", SourceKind.DOC, Volatility.STABLE),
        ("docs/topics/db.txt", SourceKind.DOC, Volatility.STABLE),
        ("README", SourceKind.DOC, Volatility.STABLE),
        ("app.yaml", SourceKind.CONFIG, Volatility.HOT),
        (".env.example", SourceKind.CONFIG, Volatility.HOT),
        ("nginx.conf.in", SourceKind.CONFIG, Volatility.HOT),
        ("Dockerfile.prod", SourceKind.CONFIG, Volatility.HOT),
        ("logs/server.log", SourceKind.LOG, Volatility.HOT),
        ("logs/today.txt", SourceKind.LOG, Volatility.HOT),
        ("dump.sql", SourceKind.DB, Volatility.MEDIUM),
        ("rows.csv", SourceKind.DB, Volatility.MEDIUM),
        ("notes/monday.md", SourceKind.NOTE, Volatility.MEDIUM),
        ("TODO", SourceKind.NOTE, Volatility.MEDIUM),
    ],
)
def test_kind_and_volatility_follow_the_name(path: str, kind: SourceKind, volatility: Volatility) -> None:
    found = provenance(path.encode())
    assert (found.source_kind, found.volatility) == (kind, volatility)


@pytest.mark.parametrize(
    ("path", "authority"),
    [
        ("src/app.py", Authority.PRIMARY),
        ("docs/index.md", Authority.PRIMARY),
        ("uv.lock", Authority.DERIVED),
        ("web/package-lock.json", Authority.DERIVED),
        ("static/app.min.js", Authority.DERIVED),
        ("api/user_pb2.py", Authority.DERIVED),
        ("dist/bundle.js", Authority.DERIVED),
        ("scripts/build/wheel.sh", Authority.PRIMARY),
        ("doc/build/core/engines.rst", Authority.PRIMARY),
        ("vendor/x.go", Authority.DERIVED),
        ("CHANGES.rst", Authority.DERIVED),
        ("locale/de/LC_MESSAGES/django.po", Authority.DERIVED),
        ("notes/monday.md", Authority.INFERRED),
    ],
)
def test_what_was_made_from_something_else_counts_less(path: str, authority: Authority) -> None:
    assert provenance(path.encode()).authority is authority


def test_more_than_forty_extensions_are_known() -> None:
    assert len(KIND_OF_EXTENSION) > 200
    assert len(KIND_OF_NAME) > 60


def test_case_of_a_name_does_not_matter() -> None:
    assert provenance(b"Docs/README.MD") == provenance(b"docs/readme.md")


@given(st.binary(min_size=1, max_size=300))
def test_any_path_has_a_provenance(path: bytes) -> None:
    assert provenance(path) == provenance(path)
