# `make demo` and `make test` do all the set-up themselves.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test test-engine check soak lock wheels image clean

setup: .venv/ready

.venv/ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "heuresis needs Python 3.11 or newer: make PYTHON=python3.11 setup")'
	@echo "Setting up .venv from requirements.lock (about two minutes)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup  ## three papers, ten questions each, played by the model that comes with the project
	@$(BIN)/heuresis demo

test: setup
	@$(BIN)/pytest -q -n 4 --dist worksteal -m "not soak and not engine"

test-engine: setup  ## tests of containers and measurements; skipped, with a line that says so, where no engine answers
	@$(BIN)/pytest -q -m "engine and not soak"

check: setup
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/pytest -q tests/test_layout.py

soak: setup  ## long tests: kills and storms
	@$(BIN)/pytest -q -m soak

lock: setup  ## write requirements.lock anew
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --extra dev pyproject.toml -o requirements.lock

wheels: setup  ## what requirements.lock names, fetched by this machine's own pip: then `make image` asks no index
	@rm -rf .venv/wheels
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock -d .venv/wheels
	@cp requirements.lock .venv/wheels/made-from.lock

BASE ?= debian:bookworm-slim
image:  ## head, worker and driver as an image, heuresis; BASE=... for another base (docs/cluster.md)
	@docker build --network host --build-arg BASE=$(BASE) --build-arg PIP_INDEX_URL --build-arg PIP_EXTRA_INDEX_URL \
		--label org.opencontainers.image.revision="$$(git describe --always --abbrev=40 --dirty=+)" -t heuresis .

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache *.egg-info
