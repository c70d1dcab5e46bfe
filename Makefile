# Renga: `make run` starts the brain, `make test` runs the default test tier. Both set up everything they need.

PYTHON  ?= python3
VENV    := .venv
PY      := $(VENV)/bin/python
CORE    := $(wildcard cython_core/*.pyx cython_core/*/*.pyx cython_core/*/*.pxd cython_core/*/*.h)
CHECKED := build/checked

# One process a core (four at most: some tests need much memory), the tests of a file in one.
SHARED_OUT := --numprocesses auto --maxprocesses 4 --dist loadfile

# compat: a plain path instead of an import hook, which would cost 40 ms at every start of the brain.
INSTALL := $(PY) -m pip install --quiet --no-build-isolation --config-settings editable_mode=compat

.PHONY: release run board test test-all test-long test-limits test-board test-checked test-train lint build clean

# Set-up talks on stderr: stdout belongs to the protocol.
run: $(VENV)/.run
	@exec $(PY) -m brain

# The board in the browser, without ONNX Runtime: the shipped network runs in the core. BOARD="game.sgf --rule renju" and the like go to `renga board`.
board: $(VENV)/.board
	@exec $(PY) -m renga board $(BOARD)

# The default tier: scaled limits. A test that hangs is named after five minutes.
test: $(VENV)/.dev
	$(PY) -m pytest -m "not full" $(SHARED_OUT) --timeout 300

# Everything; its three parts may run side by side (make -j3 test-all) where there are cores for them.
test-all: test-long test-limits test-checked

# Large counts and the training.
test-long: $(VENV)/.train
	$(PY) -m pytest tests $(SHARED_OUT)

# Literal limits: one check after the other, whole games among them; an hour.
test-limits: $(VENV)/.dev
	$(PY) -m pytest protocol_tests

# The training with PyTorch and Ray, which the other tiers skip where they are not installed.
test-train: $(VENV)/.train
	$(PY) -m pytest tests/test_training_*.py

# The board in a real browser: Chromium is installed where that is possible, else said to be missing.
test-board: $(VENV)/.browser
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
		|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get install --yes chromium 1>&2; } \
		|| echo "There is no Chromium ('apt install chromium'): the tests in a browser are skipped." 1>&2
	RENGA_BROWSER=1 $(PY) -m pytest --timeout 300 tests/browser

# A copy of the tree built with bounds checks, C assertions and sanitizers; the sources stay as they are.
# Leaks are CPython's own: not looked at. The conformance checks measure time and memory, which sanitizers distort.
# libstdc++ goes beside libasan, which otherwise aborts at onnxruntime's first C++ exception; and what a sanitizer
# says before it aborts is only seen when pytest leaves file descriptor 2 alone.
test-checked: $(VENV)/.dev
	rm -rf $(CHECKED) && mkdir -p $(CHECKED)
	git ls-files -z | xargs -0 cp --parents -t $(CHECKED)
	cd $(CHECKED) && RENGA_CHECKED=1 $(abspath $(PY)) setup.py --quiet build_ext --inplace
	cd $(CHECKED) && RENGA_CHECKED=1 PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
		UBSAN_OPTIONS=print_stacktrace=1 LD_PRELOAD="$$(gcc -print-file-name=libasan.so) libstdc++.so.6" \
		$(abspath $(PY)) -m pytest -m "not full" --capture=sys tests $(SHARED_OUT)

# Everything that is handed out, twice, with the same checksums; needs Wine. RELEASE=--no-windows does without.
release: $(VENV)/.dev
	$(PY) -m freeze.release --twice $(RELEASE)

lint: $(VENV)/.dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

build: $(VENV)/.dev

$(VENV)/.python:
	@$(PYTHON) -m venv $(VENV) 1>&2
	@$(PY) -m pip install --quiet "setuptools>=77" "cython>=3.1,<4" 1>&2
	@touch $@

$(VENV)/.run: $(VENV)/.python pyproject.toml setup.py $(CORE)
	@$(INSTALL) --editable ".[cpu]" 1>&2
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml setup.py $(CORE)
	@$(INSTALL) --editable ".[dev]" 1>&2
	@touch $@ $(VENV)/.run

$(VENV)/.board: $(VENV)/.python pyproject.toml setup.py $(CORE)
	@echo "Setting up; this takes a minute or two, once." 1>&2
	@$(INSTALL) --editable ".[board]" 1>&2
	@touch $@

$(VENV)/.browser: $(VENV)/.dev
	@$(INSTALL) --editable ".[browser]" 1>&2
	@touch $@

$(VENV)/.train: $(VENV)/.dev
	@$(INSTALL) --editable ".[train,ray]" 1>&2
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info
	find cython_core -name "*.c" -delete -o -name "*.so" -delete -o -name "*.html" -delete
