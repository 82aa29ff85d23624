# The tasks of this repository. `make` or `make help` lists them.
PYTHON ?= .venv/bin/python
BIN := $(dir $(PYTHON))
CODE := src tests bench tools
SLOW := tests/pinned tests/papers tests/browser tests/properties tests/contracts tests/engines tests/web \
	tests/test_docs.py tests/test_readme.py tests/datasets tests/notebooks

.DEFAULT_GOAL := help
.PHONY: help setup test quick lint format types docs site notebooks wheel pins gallery bench coverage ci

help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## make the environment .venv, and in a git checkout install the commit hooks
	python3 -m venv .venv
	.venv/bin/pip install -e '.[dev]'
	test ! -e .git || .venv/bin/pre-commit install

test: ## run all tests in four processes
	$(PYTHON) -m pytest -n 4

quick: ## run the fast tests: no Spark, no browser, no experiments of papers, no pins
	$(PYTHON) -m pytest $(addprefix --ignore=,$(SLOW))

lint: ## check style and format
	$(BIN)ruff check $(CODE)
	$(BIN)ruff format --check $(CODE)

format: ## repair style and format
	$(BIN)ruff check --fix $(CODE)
	$(BIN)ruff format $(CODE)

types: ## check the types of src, tests and tools
	$(BIN)mypy

docs: ## run every example in the README, the docs and the docstrings, and check that the picture is current
	$(PYTHON) -m pytest tests/test_readme.py tests/test_docs.py tests/test_doctests.py tests/test_architecture.py

site: ## build the documentation into build/site, with warnings as errors
	$(BIN)sphinx-build -W -q -b html docs build/site

notebooks: ## run the notebooks of the documentation and write what their cells show into them
	$(PYTHON) tools/run_notebooks.py

wheel: ## build the archives, and use the wheel with the oldest and the newest dependencies that are allowed
	$(PYTHON) tools/check_package.py oldest newest

pins: ## check that publishing, verifying and every command still give the pinned answers
	$(PYTHON) -m pytest -n 4 tests/pinned

gallery: ## recompute the source papers into docs/reproduction: make gallery DATA=adult.csv
	$(if $(DATA),,$(error Say where the file of UCI Adult is: make gallery DATA=adult.csv))
	$(PYTHON) -m voile reproduce all --data $(DATA) --out docs/reproduction

bench: ## run all benchmarks and print their tables
	$(PYTHON) bench/all.py

coverage: ## run all tests and list which lines of src they do not reach
	$(PYTHON) -m pytest -n 4 --cov=voile --cov-report=term-missing:skip-covered

ci: ## run what runs before a merge, on a fresh environment
	.ci/run
