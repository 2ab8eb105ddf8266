# The project's commands; `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
MANAGE := $(BIN)/python manage.py

.DEFAULT_GOAL := help
.PHONY: help run test acceptance live check format benchmarks lock clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.installed: requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing (once; this takes a few minutes the first time)"
	@$(PIP) install -r requirements.lock
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	@$(PIP) install -r requirements-dev.lock
	@touch $@

run: $(VENV)/.installed ## Install, prepare memory, put the samples in the first time, serve the chat
	@$(MANAGE) migrate --verbosity 0
	@$(MANAGE) ingest_fixtures --once
	@$(MANAGE) serve

test: $(VENV)/.installed-dev ## Run every test that needs no network and no key
	@$(BIN)/python -m pytest -m "not live" -n auto --maxprocesses 4 --dist loadgroup

acceptance: $(VENV)/.installed-dev ## Run AC1 to AC20 and print one line of evidence each
	@$(BIN)/python -m tests.acceptance

live: $(VENV)/.installed-dev ## Run the tests that need the network or a key (SKIPPED without)
	@$(BIN)/python -m pytest -m live

check: $(VENV)/.installed-dev ## Format, lint, types, layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(MANAGE) makemigrations --check --dry-run --verbosity 0
	@$(MANAGE) check --fail-level WARNING

format: $(VENV)/.installed-dev ## Format the code and mend what the linter can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

benchmarks: $(VENV)/.installed-dev ## Measure start-up and what a turn costs beside the model
	@$(BIN)/python -m benchmarks.startup
	@$(BIN)/python -m benchmarks.turn_overhead
	@$(BIN)/python -m benchmarks.page

lock: ## Write both lock files anew from pyproject.toml (in a throwaway environment)
	@$(PYTHON) -m venv $(VENV)-lock
	@$(VENV)-lock/bin/python -m pip -qq install --upgrade "pip>=25.1"
	@$(VENV)-lock/bin/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" > $(VENV)-lock/wanted.txt
	@$(VENV)-lock/bin/python -m pip -qq install -r $(VENV)-lock/wanted.txt
	@$(VENV)-lock/bin/python -m pip freeze | sed 's/+cpu$$//' > requirements.lock
	@$(VENV)-lock/bin/python -m pip -qq install --group dev
	@$(VENV)-lock/bin/python -m pip freeze | sed 's/+cpu$$//' | grep -vxFf requirements.lock > requirements-dev.lock
	@rm -rf $(VENV)-lock

clean: ## Remove the environment and caches; memory in data/ stays
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
