# Two commands for a newcomer: `make demo` and `make test`. Both build .venv first.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3)
BIN := .venv/bin

.PHONY: venv demo test lint bench docs reference release clean

venv: .venv/.built

# Rebuilt only when what goes into it changed.
.venv/.built: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "attex needs Python 3.11 or newer; set PYTHON=/path/to/it")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: venv
	$(BIN)/attex run experiments/demo.jsonnet

# One process more than there are cores: some tests wait for processes that they started.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count() + 1)')
test: lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --nbmake --nbmake-timeout=600 tests replicate_paper.ipynb

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: venv
	$(BIN)/python -m benchmarks

# What of docs/ comes out of the code (the reference, figures of real runs), then the site, checked, in site/.
docs: venv
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/build_site.py

# The reference alone, for whoever adds a component or an option: it trains nothing.
reference: venv
	$(BIN)/python docs/generate.py reference

# sdist and wheel, and the wheel tried in fresh environments with every supported Python that is here.
PYTHONS ?= $(shell for v in 3.11 3.12 3.13; do command -v python$$v; done)
release: venv
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/python release/try_wheel.py dist/*.whl $(PYTHONS)

clean:
	rm -rf .venv outputs build dist site .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
