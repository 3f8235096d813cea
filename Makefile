# Each target makes .venv and installs into it what the target needs, once. `make help` lists them.
# TORCH_INDEX names another package index for torch alone, such as one that holds builds for processors only.
PYTHON ?= python3
TORCH_INDEX ?=
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
TORCH := $(shell grep '^torch==' constraints.txt)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all lint fix docs clean
.PHONY: bench bench-attend bench-contest bench-corpus bench-layers bench-reversal bench-shortcuts bench-train

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.demo ## train string reversal, translate five strings, show what was attended to
	@$(BIN)/regard demo

test: lint ## lint, then run the tests
	@$(BIN)/python -m pytest

test-all: lint ## as test, with the tests that take long
	@$(BIN)/python -m pytest -m ""

lint: $(VENV)/.dev ## check style, types and who imports whom
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

fix: $(VENV)/.dev ## put right what the style checker can
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

bench: $(VENV)/.dev ## run every benchmark but contest and shortcuts, one after the other
	@set -e; for name in attend corpus layers reversal train; do echo "== $$name"; $(BIN)/python benchmarks/$$name.py; done

bench-attend: $(VENV)/.dev ## attention by the fused kernel beside the plain functions
	@$(BIN)/python benchmarks/attend.py

bench-contest: $(VENV)/.dev ## five architectures learn the same captions, as large and as long as another (75 minutes)
	@$(BIN)/python benchmarks/contest.py

bench-corpus: $(VENV)/.dev ## the memory that making a corpus of 100 MB and of 1 GB of text takes
	@$(BIN)/python benchmarks/corpus.py

bench-layers: $(VENV)/.dev ## the paper's base block, ours beside torch's
	@$(BIN)/python benchmarks/layers.py

bench-reversal: $(VENV)/.dev ## which architecture learns to write how long a string backwards
	@$(BIN)/python benchmarks/reversal.py

bench-shortcuts: $(VENV)/.dev ## whether rounded dropout and bfloat16 cost quality: three seeds each way (hours)
	@$(BIN)/python benchmarks/shortcuts.py

bench-train: $(VENV)/.dev ## how fast a Transformer is trained, beside plain ways and by sentence length
	@$(BIN)/python benchmarks/train.py

docs: $(VENV)/.docs ## build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html is built"

clean: ## remove caches and what was built (.venv stays)
	@rm -rf build dist site .venv-base .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	@find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo "regard: Python 3.11 or newer is needed; name one with make PYTHON=python3.11" >&2; exit 2; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# First and by itself, so that nothing else chooses which torch comes.
$(VENV)/.torch: $(VENV)/.made constraints.txt
	@echo "Installing $(TORCH) (a large download the first time)"
	@$(PIP) $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) $(TORCH)
	@touch $@

$(VENV)/.demo: EXTRAS := train,look
$(VENV)/.dev: EXTRAS := dev
$(VENV)/.docs: EXTRAS := docs
$(VENV)/.demo $(VENV)/.dev: $(VENV)/.torch
$(VENV)/.demo $(VENV)/.dev $(VENV)/.docs: $(VENV)/.made pyproject.toml constraints.txt
	@echo "Installing regard[$(EXTRAS)]"
	@$(PIP) -e '.[$(EXTRAS)]' -c constraints.txt
	@touch $@
