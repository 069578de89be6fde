# Faultline: `make site` builds the card from this repository's records, `make test` runs the whole suite.
# Each makes its own virtual environment below .venv/; PYTHON chooses the interpreter (3.11 or newer).

PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip install --disable-pip-version-check --quiet --constraint constraints.txt

.PHONY: site serve test lint verify bench soak clean

site: $(VENV)/.site
	$(VENV)/bin/faultline build-site --out site
	@echo "open site/index.html"

serve: $(VENV)/.site
	$(VENV)/bin/mkdocs serve

test: $(VENV)/.test
	$(VENV)/bin/python -m pytest -n auto

lint: $(VENV)/.lint
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

verify: $(VENV)/.site
	$(VENV)/bin/faultline verify

bench: $(VENV)/.test
	$(VENV)/bin/python benchmarks/figures.py
	$(VENV)/bin/python benchmarks/ledger.py
	$(VENV)/bin/python benchmarks/imports.py terminal-bench --site

soak: $(VENV)/.test
	$(VENV)/bin/python benchmarks/kills.py

clean:
	rm -rf $(VENV) site .cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.site: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable .
	touch $@

$(VENV)/.test: $(VENV)/.site
	$(PIP) --editable '.[test]'
	touch $@

$(VENV)/.lint: $(VENV)/.test
	$(PIP) --editable '.[test,lint]'
	touch $@
