"""Change the numerical core in one place at a time, and check that a test notices.

    python -m tools.mutants                      all modules of TESTS
    python -m tools.mutants convex controllers      those whose path contains one of these words

Cosmic Ray makes the changes (mutants): another number, operator, comparison or truth value. A process that has already
imported everything slow forks for every mutant. The child imports the changed text without touching a file, and runs
the chosen tests with the compiler off, because compiling would take 25 seconds each time. A mutant is killed if a test
fails, and timed out if it needs far more CPU time than the original. Survivors must be listed in
``equivalent_mutants.txt`` with the reason why no test can tell them from the original.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path

os.environ |= {"NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
ROOT = Path(__file__).parent.parent
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
STEP = "tests/algorithms/test_mirror_step.py::test_"
FUNCTIONS = ("x ln x", "x^2", "x^1.01", "x^1.5", "x^2.1", "x^3", "x^10", "-x^0.5", "e^(1x)", "e^(20x)", "-ln x")
KINDS = ("fitting", "threshold", "huge gaps", "shifted")
OPTIMAL = (
    *(f"{STEP}exact_step_meets_its_conditions[{psi}-{kind}]" for kind in KINDS for psi in FUNCTIONS),
    *(f"{STEP}clip_against_oracle[{psi}-{kind}]" for kind in KINDS for psi in FUNCTIONS),
    STEP + "clip_without_a_solution_in_floating_point_is_exact",
    STEP + "own_derivative_that_is_not_built_in",
)
ARGUMENTS = tuple(
    STEP + name
    for name in (
        *("bad_arguments", "unknown_projection", "spellings", "what_is_no_convex_function"),
        "names_of_built_in_functions_cannot_be_taken",
    )
)
KERNELS, PROJECTION = "tests/kernels/test_convex.py", "tests/kernels/test_projection.py"
CONVEX = "tests/algorithms/test_convex.py"
STEPS = "tests/kernels/test_projection_steps.py"
TESTS = {
    "src/gamebench/algorithms/descent/controllers.py": ("tests/algorithms/test_controllers.py",),
    "src/gamebench/analysis/measures": ("tests/analysis", "-k", "not fifteen and not at_least and not compile"),
    "src/gamebench/algorithms/descent/mirror_step.py": (*ARGUMENTS, CONVEX, PROJECTION),
    "src/gamebench/algorithms/descent/convex.py": (*ARGUMENTS, CONVEX, KERNELS),
    "src/gamebench/kernels/convex.py": (KERNELS, PROJECTION, STEP + "own_derivative_that_is_not_built_in"),
    "src/gamebench/kernels/projection.py": (STEPS, PROJECTION, *OPTIMAL),
}
"""Modules or folders, and the tests that should notice their mutants, quickest first."""
OPERATORS = (
    *("NumberReplacer", "AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr"),
    *("ReplaceOrWithAnd", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ZeroIterationForLoop"),
    *("ReplaceUnaryOperator_USub_UAdd", "ReplaceUnaryOperator_Delete_Not", "ExceptionReplacer"),
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "Pow_Mul")),
    *(f"ReplaceComparisonOperator_{pair}" for pair in ("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is")),
    *(f"ReplaceComparisonOperator_{pair}" for pair in ("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt")),
    *(f"ReplaceComparisonOperator_{pair}" for pair in ("Lt_GtE", "LtE_Gt", "Gt_LtE", "GtE_Lt")),
)
"""Operators of Cosmic Ray. Its others make changes that are unlikely typos, such as * to >>."""
PYTEST = (
    *("-x", "-q", "--tb=no", "-p", "no:cacheprovider"),
    *("-p", "_hypothesis_pytestplugin", "--hypothesis-profile=mutants"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # plugins were imported before pytest could rewrite them
)
SECONDS = 5.0
"""CPU seconds that a test may take; the slowest takes less than one."""


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    path: str
    line: int
    where: str
    """The function or class that the line is in."""
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}, {self.where}: {self.before} => {self.after}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every distinct mutant of a module that compiles."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    original, seen = path.read_text(), set()
    lines = original.split("\n")
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        for position in range(
            sum(len(list(operator.mutation_positions(node))) for node in ast_nodes(get_ast(original)))
        ):
            text = mutate_code(original, operator, position)
            with suppress(SyntaxError):
                compile(text, path, "exec", dont_inherit=True)
                if text in seen:
                    continue
                seen.add(text)
                pairs = enumerate(zip(lines, text.split("\n"), strict=False))
                line, before, after = next((index, *pair) for index, pair in pairs if pair[0] != pair[1])
                where = _surroundings(lines, line)
                after = " ".join(after.split())
                yield Mutant(str(path.relative_to(ROOT)), line + 1, where, before.strip(), after, text)


def _surroundings(lines: list[str], line: int) -> str:
    """Return the function or class of a line, numbered if it contains the same line repeatedly."""
    first = next((above for above in range(line, -1, -1) if re.match(r"(def|class) ", lines[above])), 0)
    head = re.match(r"(?:def|class) (\w+)", lines[first])
    nth = lines[first : line + 1].count(lines[line])
    return (head[1] if head else "module") + (f" {nth}" if nth > 1 else "")


class Changed(MetaPathFinder, SourceFileLoader):
    """A finder and loader of one module, with a changed text."""

    def __init__(self, path: Path, text: str) -> None:
        parts = path.relative_to(ROOT / "src").with_suffix("").parts
        super().__init__(".".join(parts).removesuffix(".__init__"), str(path))
        self.text = text

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return the spec of the module, with this loader."""
        if name != self.name:
            return None
        spec = PathFinder.find_spec(name, path)  # type: ignore[arg-type]
        assert spec is not None
        assert spec.origin == self.path, f"{name} would come from {spec.origin}"
        spec.loader = self
        return spec

    def get_code(self, fullname: str) -> object:
        """Return the changed text, compiled."""
        return compile(self.text, self.path, "exec", dont_inherit=True)


def import_what_is_slow() -> None:
    """Import all heavy dependencies of the package and its tests, but neither of the two."""
    import hypothesis
    import mpmath
    import numba
    import pyspiel
    import pytest
    import scipy.interpolate
    import scipy.optimize
    import scipy.special

    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]  # that a test fails is enough: no smaller example
    hypothesis.settings.register_profile("mutants", deadline=None, derandomize=True, phases=phases)
    del mpmath, numba, pyspiel, pytest, scipy


class Limit:
    """A pytest plug-in that ends the process by SIGPROF if a test takes too long."""

    @staticmethod
    def pytest_runtest_logstart() -> None:
        """Restart the timer for each test."""
        signal.setitimer(signal.ITIMER_PROF, SECONDS)


def start(path: Path, text: str, tests: tuple[str, ...]) -> int:
    """Start the tests of a changed module in a child, and return its process id."""
    import pytest

    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    signal.setitimer(signal.ITIMER_PROF, 4 * SECONDS)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    sys.meta_path.insert(0, Changed(path, text))
    code = 1
    try:
        code = pytest.main([*PYTEST, *tests], plugins=[Limit()])
    finally:
        os._exit(int(code))


def finished() -> tuple[int, str]:
    """Wait for a child, and return its process id and the outcome of its mutant."""
    child, status = os.wait()
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
        return child, "timed out"
    return child, "survived" if status == 0 else "killed"


def check(path: Path, tests: tuple[str, ...], jobs: int, known: set[str]) -> Iterator[tuple[Mutant, str]]:
    """Yield the outcome of each mutant of a module, except known equivalent ones."""
    start(path, path.read_text(), tests)
    if finished()[1] != "survived":
        sys.exit(f"The tests of {path} fail without any change: pytest {' '.join(tests)}")
    running: dict[int, Mutant] = {}
    mutants = list(mutants_of(path))
    yield from ((mutant, "equivalent") for mutant in mutants if str(mutant) in known)
    waiting = iter([mutant for mutant in mutants if str(mutant) not in known])
    upcoming = next(waiting, None)
    while upcoming or running:
        if upcoming and len(running) < jobs:
            running[start(path, upcoming.text, tests)] = upcoming
            upcoming = next(waiting, None)
            continue
        child, outcome = finished()
        yield running.pop(child), outcome


def equivalent() -> set[str]:
    """Return the mutants that are known to be equivalent to the original."""
    lines = EQUIVALENT.read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def main(words: list[str], jobs: int = 1) -> int:
    """Print the survivors and the counts; return the number of unexplained survivors."""
    sys.path.insert(0, str(ROOT / "src"))
    os.chdir(ROOT)
    import_what_is_slow()
    known, begun, totals, unexplained = equivalent(), time.monotonic(), Counter[str](), 0
    for target, tests in TESTS.items():
        chosen = [ROOT / target] if target.endswith(".py") else sorted((ROOT / target).glob("*.py"))
        for path in chosen:
            if words and not any(word in str(path.relative_to(ROOT)) for word in words):
                continue
            counts = Counter[str]()
            for mutant, outcome in check(path, tests, jobs, known):
                counts[outcome] += 1
                if outcome == "survived":
                    unexplained += 1
                    print(f"{mutant}  (line {mutant.line})", flush=True)
            print(f"  {path.relative_to(ROOT)}: {describe(counts)}", flush=True)
            totals += counts
    print(f"All: {describe(totals)}; {(time.monotonic() - begun) / 60:.0f} minutes")
    return unexplained


def describe(counts: Counter[str]) -> str:
    """Describe the counts, with the share of noticed mutants among those that are not equivalent."""
    caught = counts["killed"] + counts["timed out"]
    share = caught / max(1, counts.total() - counts["equivalent"])
    words = ", ".join(f"{counts[kind]} {kind}" for kind in ("killed", "timed out", "survived", "equivalent"))
    return f"{counts.total()} mutants, {words}; {share:.1%} of those that are not equivalent noticed"


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
