# Every target makes the environment it needs: `git clone`, then `make demo`, is enough.
# To install PyTorch from elsewhere (a CPU-only index, say), set pip's own variables: PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS.

PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
READY   := $(VENV)/.ready
WORKERS ?= 2
ARGS    ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help environment bytecode demo test bless bench docs docs-reference check lint types imports format

help: ## say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-14s %s\n' "$$name" "$$what"; done

environment: $(READY) ## make .venv with tensan (editable) and the development tools

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "tensan needs Python 3.11 or newer: make PYTHON=python3.11 (this one is %d.%d)" % sys.version_info[:2])'
	@echo "making $(VENV): once, a few minutes"
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

# An editable install leaves this to the first import, and where PYTHONDONTWRITEBYTECODE is set to every one of them.
bytecode: $(READY)
	@$(BIN)/python -m compileall -q src

demo: bytecode ## watch a real training program with three silent mistakes, then its mended twin
	@bash demo/run.sh $(BIN)/tensan

test: bytecode ## run the tests (ARGS="-k name" narrows, WORKERS=n spreads)
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

bless: bytecode ## rewrite the reports of cases/ as tensan prints them now; review the diff
	$(BIN)/python -m pytest tests/cases --bless $(ARGS)

bench: bytecode ## measure truth, cost and neutrality into benchmarks/results/
	$(BIN)/python benchmarks/bench.py $(ARGS)

docs-reference: $(READY) ## write the reference in docs/ and the README's table of rules anew
	$(BIN)/python docs/generate.py

docs: $(READY) ## build the site of the documentation into site/, without a warning
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

check: lint types imports ## all that must hold before a change is looked at

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/pyright

imports: $(READY)
	$(BIN)/lint-imports --no-logo

format: $(READY) ## put the code into the house's layout
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
