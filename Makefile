# Each target makes the environment it needs first. Another Python: make demo PYTHON=python3.12. All targets: make help
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
WHEEL_DIR ?= dist
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint format docs fuzz bench coverage local-model wheel clean help

demo: $(VENV)/core.stamp ## judge and score the bundled benchmark; ends with the report's path
	$(BIN)/gamut demo

test: $(VENV)/dev.stamp ## all tests, with the examples of the docs: some ten minutes on two cores
	@echo "About 5,000 tests, some ten minutes on two cores. Only some: make test PYTEST_ARGS=tests/scoring"
	$(BIN)/pytest $(PYTEST_ARGS)

lint: $(VENV)/dev.stamp ## style, types, import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/dev.stamp ## mend the style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/dev.stamp ## write the generated pages of docs/ anew
	$(BIN)/python docs/make_pages.py

fuzz: $(VENV)/dev.stamp ## 10,000 damaged benchmark files: each a benchmark or one clear message
	GAMUT_FUZZ=500 $(BIN)/pytest tests/benchmark/test_load.py -k damaged

bench: $(VENV)/dev.stamp ## speed and memory, as ratios within one run
	$(PIP) --editable '.[dev,bench]'
	$(BIN)/python benchmarks/run.py

coverage: $(VENV)/dev.stamp ## simulate how often intervals cover the truth, and how often tests err (some minutes)
	$(BIN)/python benchmarks/coverage.py

local-model: $(VENV)/dev.stamp ## your own model answers and judges: make local-model BASE_URL=http://localhost:8080/v1 MODEL=qwen
	$(BIN)/python benchmarks/local_model.py "$(BASE_URL)" "$(MODEL)"

wheel: $(VENV)/dev.stamp ## build the wheel into $(WHEEL_DIR)
	$(BIN)/python -m build --wheel --outdir $(WHEEL_DIR) .

clean: ## remove the environment and all caches
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /make \1 	/p' Makefile | expand -t 18

$(VENV)/core.stamp: pyproject.toml constraints.txt
	@echo "Installing into $(VENV), the first time only: about a minute."
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[charts,stats]'
	touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp
	@echo "Installing what tests need, the first time only: some minutes."
	$(PIP) --editable '.[dev]'
	touch $@
