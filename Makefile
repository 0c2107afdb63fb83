# Every command that a developer needs. The continuous integration calls the same.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
WORKERS ?= logical
FUZZ_SECONDS ?= 60
# All tests that need Spark run in one worker, which starts it once.
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup
SANITIZING = ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$(SANITIZED) LD_PRELOAD="$(foreach \
	library,libasan.so libubsan.so libstdc++.so.6,$$($(CXX) -print-file-name=$(library)))"
# Python, numpy and Arrow are not built with the thread sanitizer, which does not see how they order their accesses: what
# they do is left out. It needs fixed addresses where the system has them more random than it knows.
SANITIZING_THREADS = TSAN_OPTIONS='ignore_noninstrumented_modules=1 halt_on_error=1' PYTHONPATH=$(SANITIZED_THREADS) \
	LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so)" \
	$$(setarch "$$(uname -m)" -R true 2>/dev/null && echo setarch "$$(uname -m)" -R)

WHEEL = build/wheel
SANITIZED = build/sanitized
SANITIZED_THREADS = build/sanitized-threads
SOURCES = pyproject.toml CMakeLists.txt \
	$(shell find cpp src -name '*.[ch]pp' -o -name '*.py' -o -name '*.pyi' -o -name '*.jinja' -o -name '*.css' -o -name py.typed)

.PHONY: help demo test test-all services sanitize sanitize-threads check fuzz bench format clean

help:
	@echo 'make demo      install, anonymize a made-up census of 100,000 people, audit the release, write the report'
	@echo 'make test      lint, types, tests: a few minutes'
	@echo 'make test-all  everything, slow tests and the sanitizer builds of the kernel included'
	@echo 'make sanitize  tests of the kernel, built to stop at the first wrong access to memory; Linux'
	@echo 'make sanitize-threads  tests of the kernel, built to report races between threads; Linux'
	@echo 'make check     lint, types, and who imports whom'
	@echo 'make fuzz      readers of files on made-up input, FUZZ_SECONDS=60 for each; Linux, where atheris has a wheel'
	@echo 'make bench     speed and memory, beside what they are measured against'
	@echo 'make format    put the code into its form'
	@echo 'make clean     remove what the others made'

demo: $(VENV)/.showing
	@echo 'To do the same in an environment of your own:'
	@echo "  pip install '.[utility]'    # or pip install . without the models that try the release"
	@echo '  shoal demo'
	@echo
	$(BIN)/shoal demo

test: check services
	$(PYTEST) -m 'not slow'

test-all: check services
	$(PYTEST) --hypothesis-profile=thorough --durations=20
	$(MAKE) sanitize
	$(MAKE) sanitize-threads

check: $(VENV)/.developing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# The tests start a PostgreSQL server of their own, and Spark, which needs Java. Whoever may install these here
# gets them; for others the tests of what is missing are skipped.
services:
	@missing=; \
	command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb \
		/opt/homebrew/opt/postgresql*/bin/initdb /usr/local/opt/postgresql*/bin/initdb 2>/dev/null | grep -q . \
		|| missing="$$missing postgresql"; \
	[ -x "$$JAVA_HOME/bin/java" ] || java -version >/dev/null 2>&1 || missing="$$missing default-jre-headless"; \
	[ -n "$$missing" ] || exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing what the tests of databases need:$$missing"; \
		export DEBIAN_FRONTEND=noninteractive; \
		install="apt-get install -y -qq --no-install-recommends $$missing"; \
		{ $$install || { apt-get update -qq && $$install; }; } >/dev/null && exit 0; \
	fi; \
	echo "Tests of databases are skipped, as these are not installed:$$missing"; \
	echo "Install them, on Debian and Ubuntu: apt install$$missing"

# Only this needs atheris, which has no wheel for every Python and system.
fuzz: $(VENV)/.developing
	$(BIN)/pip install --quiet atheris
	$(BIN)/python -m tests.fuzz.fuzz_parsers all -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1

bench: $(VENV)/.developing
	for benchmark in benchmarks/*.py; do $(BIN)/python $$benchmark || exit 1; done

format: $(VENV)/.developing
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# The tests of the kernel once more, on a kernel that stops at the first wrong access. Python is not built
# with the sanitizers, so their libraries are loaded before it, and libstdc++ for exceptions to pass.
# Servers and Java are not built for the sanitizer, and their tests say nothing of the kernel.
BESIDE_THE_KERNEL = $(foreach name,engines remote_audit,--ignore=tests/conformance/test_$(name).py)

sanitize: $(VENV)/.developing $(SANITIZED)/.built
	$(SANITIZING) $(BIN)/python -c 'from shoal import _kernel; assert "$(SANITIZED)" in _kernel.__file__'
	$(SANITIZING) $(PYTEST) -m 'not slow' tests/unit/kernel tests/conformance $(BESIDE_THE_KERNEL)

# In one process, which prints the first race and ends.
sanitize-threads: $(VENV)/.developing $(SANITIZED_THREADS)/.built
	$(SANITIZING_THREADS) $(BIN)/python -c 'from shoal import _kernel; assert "$(SANITIZED_THREADS)" in _kernel.__file__'
	$(SANITIZING_THREADS) $(BIN)/python -m pytest -n0 --capture=sys -m 'not slow' tests/unit/kernel

clean:
	rm -rf $(VENV) build dist shoal-demo .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -exec rm -rf {} +

# One wheel for all: built again only when a source changed.
$(WHEEL)/.built: $(SOURCES) | $(VENV)/.made
	@command -v $(CXX) >/dev/null || command -v c++ >/dev/null || { \
		echo 'Shoal has a kernel in C++20 and there is no compiler ($(CXX)).'; \
		echo 'Install one, on Debian and Ubuntu: apt install g++'; exit 1; }
	@$(BIN)/python -c 'import os, sysconfig as s; os.stat(s.get_path("include") + "/Python.h")' 2>/dev/null || { \
		echo 'Shoal has a kernel in C++20 and the headers of Python are missing (Python.h).'; \
		echo 'Install them, on Debian and Ubuntu: apt install python3-dev'; exit 1; }
	rm -rf $(WHEEL)
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir $(WHEEL) .
	touch $@

$(VENV)/.installed: $(WHEEL)/.built
	$(BIN)/pip install --quiet --force-reinstall --no-deps $(WHEEL)/*.whl
	$(BIN)/pip install --quiet $(WHEEL)/*.whl
	touch $@

# With the models that a release is tried on, so that the report has all its parts.
$(VENV)/.showing: $(VENV)/.installed
	$(BIN)/pip install --quiet "$$(echo $(WHEEL)/*.whl)[utility]"
	touch $@

$(VENV)/.developing: $(VENV)/.installed
	$(BIN)/pip install --quiet "$$(echo $(WHEEL)/*.whl)[dev]"
	touch $@

$(SANITIZED)/.built: $(SOURCES) | $(VENV)/.made
	rm -rf $(SANITIZED)
	$(BIN)/pip install --quiet --no-deps --target $(SANITIZED) \
		--config-settings=cmake.define.SHOAL_SANITIZE=ON --config-settings=build-dir=build/sanitizing .
	touch $@

$(SANITIZED_THREADS)/.built: $(SOURCES) | $(VENV)/.made
	rm -rf $(SANITIZED_THREADS)
	$(BIN)/pip install --quiet --no-deps --target $(SANITIZED_THREADS) \
		--config-settings=cmake.define.SHOAL_SANITIZE_THREADS=ON --config-settings=build-dir=build/sanitizing-threads .
	touch $@

$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null || { \
		echo 'There is no $(PYTHON).'; echo 'Install Python 3.11 or newer, or say: make PYTHON=...'; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Shoal needs Python 3.11 or newer. $(PYTHON) is $$($(PYTHON) --version)."; \
		echo 'Say which to use: make PYTHON=...'; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo 'Python lacks its venv module.'; \
		echo 'Install it, on Debian and Ubuntu: apt install python3-venv'; exit 1; }
	$(PYTHON) -m venv $(VENV)
	touch $@
