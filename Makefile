# Renga: `make run` starts the brain, `make test` runs the default test tier. Both set up everything they need.

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
CORE   := $(wildcard cython_core/*.pyx cython_core/*.pxd)

.PHONY: run test test-all test-checked lint build clean

# Set-up talks on stderr: stdout belongs to the protocol.
run: $(VENV)/.run
	@exec $(PY) -m brain

test: $(VENV)/.dev
	$(PY) -m pytest

lint: $(VENV)/.dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

build: $(VENV)/.dev

$(VENV)/.python:
	@$(PYTHON) -m venv $(VENV) 1>&2
	@$(PY) -m pip install --quiet "setuptools>=77" "cython>=3.1,<4" 1>&2
	@touch $@

$(VENV)/.run: $(VENV)/.python pyproject.toml setup.py $(CORE)
	@$(PY) -m pip install --quiet --no-build-isolation --editable ".[cpu]" 1>&2
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml setup.py $(CORE)
	@$(PY) -m pip install --quiet --no-build-isolation --editable ".[dev]" 1>&2
	@touch $@ $(VENV)/.run

clean:
	rm -rf $(VENV) build dist *.egg-info cython_core/*.c cython_core/*.so cython_core/*.html
