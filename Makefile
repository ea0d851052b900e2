# Everything runs in an environment of its own, .venv, which these targets make when it is missing or out of date.
PYTHON ?= python3
# uv installs no bytecode. Where Python may not write any either, each of some hundred processes compiles its imports anew,
# which takes three times as long as importing them.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
# uv takes a third of pip's work; where it cannot reach the packages, as with an index that only pip knows, pip does it.
UV := UV_SYSTEM_CERTS=1 $(BIN)/uv pip install --quiet --python $(BIN)/python
# The linter of JavaScript and CSS comes from npm, in an exact version, because new ones find new faults and format anew.
BIOME := .venv/biome/node_modules/@biomejs/biome/bin/biome
INSTALL = $(PIP) uv && $(UV) --editable "$(1)" || $(PIP) --editable "$(1)"

.PHONY: run reproduce refresh test check compiled coverage mutants bench docs dist tried clean help

run: .venv/installed  ## seven methods on the fifteen games: a table, results/overview.png, and a page, results/overview.html
	@mkdir -p results
	$(BIN)/gamebench sweep overview --out results/overview --figure results/overview.png
	$(BIN)/gamebench report results/overview --output results/overview.html

reproduce: .venv/for-development  ## the whole paper at full scale, some hours: results/paper, what is shipped, the docs' figures
	$(BIN)/gamebench reproduce all --out results/paper
	$(BIN)/gamebench report results/paper
	$(BIN)/python -m tools.ship results/paper

refresh: .venv/for-development  ## the paper's runs that changed since they were shipped; then as reproduce
	$(BIN)/python -m tools.ship --refresh results/refresh

# Tests with a Ray cluster come last, with nothing beside them: Ray's processes start slowly on a busy machine. All are in
# one folder, because to look for them everywhere takes ten seconds.
test: .venv/for-development  ## all tests and checks
	@$(MAKE) --no-print-directory --jobs=2 check docs compiled
	$(BIN)/pytest -n auto --dist loadgroup -m "not ray"
	$(BIN)/pytest -m ray tests/experiments

check: .venv/for-development $(BIOME)  ## style and types, also of the page's JavaScript and CSS
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/node $(BIOME) check --error-on-warnings

bench: .venv/for-development  ## speed against OpenSpiel and LiteEFG, as ratios; kept in benchmarks/results
	$(BIN)/python -m benchmarks

# Kernels count only without the compiler; what they compute is tested with it.
INTERPRETED := tests/kernels/test_convex.py tests/kernels/test_projection.py tests/kernels/test_projection_steps.py \
	tests/kernels/test_gradients.py tests/kernels/test_proximal.py tests/kernels/test_expansion.py \
	tests/kernels/test_several_parents.py tests/algorithms/test_convex.py tests/algorithms/test_controllers.py \
	tests/analysis/test_small_measures.py \
	tests/algorithms/test_against_naive_solvers.py::test_random_games_and_parameters \
	tests/test_against_naive.py::test_team_responses \
	tests/test_against_naive.py::test_values_action_values_and_reach \
	tests/analysis/test_team_response.py::test_limits_are_errors \
	tests/algorithms/test_mmd.py::test_other_hyperparameters_on_random_games \
	"tests/algorithms/test_cfr.py::test_each_of_a_hundred_iterations_equals_open_spiel[algorithm0-CFRSolver-Kuhn]"

coverage: .venv/for-development compiled  ## the share of lines that tests run, at least 95 %: about a quarter of an hour
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -q -n auto --dist loadgroup -m "not ray"
	$(BIN)/coverage run -m pytest -q -m ray tests/experiments
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q $(INTERPRETED)
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

mutants: .venv/for-development  ## changes in the numerical core that no test notices: about three quarters of an hour
	$(PIP) "cosmic-ray>=8.4"
	$(BIN)/python -m tools.mutants

docs: .venv/for-development  ## the documentation, in docs/_build/html
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

dist: .venv/for-development  ## the wheel and the source archive, in dist/, each tried in an empty environment
	rm -rf dist
	$(BIN)/python -m build > /dev/null
	@scratch=$$(mktemp -d) && trap "rm -rf $$scratch" EXIT && $(PYTHON) -m venv $$scratch/twine && \
		$$scratch/twine/bin/pip install --quiet --disable-pip-version-check twine && \
		$$scratch/twine/bin/twine check --strict dist/*
	@$(MAKE) --no-print-directory tried FILE="$$(echo dist/*.whl)"
	@$(MAKE) --no-print-directory tried FILE="$$(echo dist/*.tar.gz)"
	@ls -l dist

# FILE is a wheel or a source archive; nothing of the source tree is in reach but what tries it.
tried:
	@scratch=$$(mktemp -d) && trap "rm -rf $$scratch" EXIT && $(PYTHON) -m venv $$scratch/env && \
		$$scratch/env/bin/pip install --quiet --disable-pip-version-check "$(FILE)" && mkdir $$scratch/empty && \
		cp tools/smoke.py $$scratch/empty && cd $$scratch/empty && $$scratch/env/bin/python -P smoke.py

# Kernels of all algorithms once, beside the checks: else every process of the first tests would compile them.
compiled: .venv/for-development
	@log=$$(mktemp) && $(BIN)/python -c "from benchmarks.starting import *; exec(FIRST_USE + COORDINATORS)" > $$log 2>&1 || \
		{ cat $$log; exit 1; }; rm $$log

.venv/installed: pyproject.toml
	@echo "Setting up .venv (about a minute)"
	@$(PYTHON) -m venv .venv
	@$(call INSTALL,.)
	@touch $@

.venv/for-development: pyproject.toml
	@echo "Setting up .venv with what development needs (about two minutes)"
	@$(PYTHON) -m venv .venv
	@$(call INSTALL,.[dev])
	@touch .venv/installed $@

$(BIOME): .venv/for-development
	@$(BIN)/npm install --loglevel=error --no-save --prefix .venv/biome @biomejs/biome@2.6.6 > /dev/null
	@touch $@

clean:  ## remove everything that was made
	rm -rf .venv build dist results docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*##/\1\t/p' Makefile
