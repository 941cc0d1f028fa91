# Every task of the repository; `make help` lists them. Nothing but GNU Make and Python 3.11 to 3.13 is
# needed: .venv is made here from the pinned requirements and renewed when they change.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules

VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev
VLLM := .venv-vllm/.installed
ST := .venv-st/.installed
PYTEST := $(BIN)/python -m pytest
ARGS ?=

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- environment ---------------------------------------------------------------------------------------

# The runtime lock is a part of the development lock (a test holds that), so one .venv serves both and
# the targets below work in any order.
$(RUNTIME): requirements/runtime.txt requirements/build.txt pyproject.toml tools/venv.sh
	@tools/venv.sh requirements/runtime.txt requirements/build.txt
	@touch $@

$(DEV): requirements/dev.txt requirements/build.txt pyproject.toml tools/venv.sh
	@tools/venv.sh requirements/dev.txt requirements/build.txt
	@touch $(RUNTIME) $@

# vLLM and sentence-transformers pin worlds of their own: each has an environment of its own. The package
# index serves torch for Linux with its CUDA libraries, which stay unused.
$(VLLM): requirements/vllm.txt requirements/uv.txt tools/venv_apart.sh | $(DEV)
	@tools/venv_apart.sh vllm "6 GB"

$(ST): requirements/st.txt requirements/uv.txt tools/venv_apart.sh | $(DEV)
	@tools/venv_apart.sh st "5 GB"

.PHONY: venv venv-dev
venv: $(RUNTIME) ## Make .venv with what running needs
venv-dev: $(DEV) ## Make .venv with what developing needs too

# --- running -------------------------------------------------------------------------------------------

.PHONY: demo up down
demo: $(RUNTIME) ## Show the whole loop on a small feed: no key, no Docker, no Java
	@$(BIN)/tidegraph demo $(ARGS)

up: $(RUNTIME) ## Keep a stack running in the foreground (embedded unless configured otherwise)
	@$(BIN)/tidegraph up $(ARGS)

down: $(RUNTIME) ## Stop the stack that `make up` started from this folder
	@$(BIN)/tidegraph down $(ARGS)

# --- checking ------------------------------------------------------------------------------------------

.PHONY: test test-slow test-vllm test-st lint types proto proto-check bench ci clean
test: $(DEV) ## Run the tests that need nothing but .venv (ARGS="-k name" narrows)
	@$(PYTEST) -m "not slow and not kafka and not vllm and not st" $(ARGS)

test-slow: $(DEV) ## Run the long suites and those on Apache Kafka (needs Java 17 and Maven)
	@HYPOTHESIS_PROFILE=slow $(PYTEST) -m "slow or kafka" --timeout=1200 $(ARGS)

test-vllm: $(DEV) $(VLLM) ## Run the tests on a real vLLM server on this CPU (Linux; installs 6 GB once)
	@$(PYTEST) -m vllm $(ARGS) tests/vllm

test-st: $(DEV) $(ST) ## Run the sentence-transformers encoder and cross-encoder for real (installs 5 GB once)
	@PYTHONPATH=core:protos HF_HUB_OFFLINE=1 .venv-st/bin/python -m pytest -c tests/st/pytest.ini -m st $(ARGS) tests/st

lint: $(DEV) ## Check style, layers and protos
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/gen_protos.py --lint

types: $(DEV) ## Check types, strictly
	$(BIN)/mypy

proto: $(DEV) ## Generate the Python code of protos/ anew
	$(BIN)/python tools/gen_protos.py

proto-check: $(DEV) ## Fail when the generated code is not what protos/ gives
	$(BIN)/python tools/gen_protos.py --check

bench: $(DEV) ## Measure quality: make bench ARGS="ground --cases FILE --out FILE" (see bench/)
	@$(BIN)/python bench/quality.py $(ARGS)

ci: ## Everything that CI runs, as CI runs it
	@bash .ci/run

clean: ## Remove .venv, caches and build output; data (.tidegraph) is kept
	rm -rf $(VENV) .venv-vllm .venv-st build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
