# Everything starts from python3 and make: each target makes the virtual environment it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt

# A machine that keeps no bytecode would compile the program anew for every command under test.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo serve test test-all test-fast test-slow nightly check format bench coverage docs constraints clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.run ## install, then run roundbook demo on the embedded PostgreSQL
	@$(BIN)/roundbook demo

serve: $(VENV)/.serve ## install, then serve the demonstration's data: pages and API
	@$(BIN)/roundbook serve --demo $(SERVE_ARGS)

test: $(VENV)/.dev ## install, then run the tests, in one process more than there are cores
	@$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal $(PYTEST_ARGS)

test-all: ## all that CI runs: the tests that take seconds each, too
	@$(MAKE) --no-print-directory test PYTEST_ARGS="-m 'not slow' $(PYTEST_ARGS)"

test-fast: $(VENV)/.dev ## install, then run the unit tests, which need no database
	@$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal tests/unit $(PYTEST_ARGS)

test-slow: $(VENV)/.dev ## run every test, the slow ones too
	@$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal -m '' $(PYTEST_ARGS)

nightly: $(VENV)/.dev ## run every test, the slow ones too, on many more examples
	@ROUNDBOOK_TEST_PROFILE=nightly $(BIN)/python -m pytest --numprocesses=auto --dist=worksteal -m '' $(PYTEST_ARGS)

check: $(VENV)/.dev ## ruff, mypy --strict, the import contract, Dockerfile and compose file
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/yamllint --strict --config-data '{extends: default, rules: {document-start: disable, line-length: {max: 100}}}' docker-compose.yml
	@test ! -x $(BIN)/hadolint || $(BIN)/hadolint Dockerfile
	@echo "All checks passed."

format: $(VENV)/.dev ## mend what ruff can mend
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

bench: $(VENV)/.dev ## print the speed ratios, both sides measured in the same run
	@$(BIN)/python -m tests.bench

coverage: $(VENV)/.dev ## print how often intervals, verdicts and plans are right, by simulation
	@$(BIN)/python -m tests.coverage $(COVERAGE_ARGS)

docs: $(VENV)/.docs ## build the documentation into docs/_build/html
	@$(BIN)/python -m sphinx --fail-on-warning --quiet -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

constraints: $(VENV)/.dev $(VENV)/.docs ## write constraints.txt anew from what is installed
	@$(BIN)/python -m pip freeze --exclude-editable | grep -v '^roundbook' > constraints.txt

clean: ## remove the virtual environment and everything built
	@rm -rf $(VENV) dist build docs/_build

$(BIN)/python:
	@echo "Making the virtual environment in $(VENV) ..."
	@$(PYTHON) -c 'import sys; sys.exit("Roundbook needs Python 3.11 or later, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing Roundbook ..."
	@$(PIP) --editable .
	@touch $@

$(VENV)/.serve: $(VENV)/.run
	@$(PIP) --editable '.[serve]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing Roundbook and its tests ..."
	@$(PIP) --editable '.[test,check]'
	@touch $@ $(VENV)/.run $(VENV)/.serve

$(VENV)/.docs: $(VENV)/.run
	@$(PIP) --editable '.[docs]'
	@touch $@
