"""The shape of the package: who may import whom, what is imported when, and that all public names are there."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gamebench as gb

SOURCE = Path(gb.__file__).parent
LAYERS = [
    "errors",
    "checks",
    "choices",
    "registry",
    "plugins",
    "files",
    "progress",
    "curve",
    "kernels",
    "games",
    "policy",
    "transforms",
    "load",
    "values",
    "responses",
    "measures",
    "settings",
    "convex",
    "single_step",
    "controllers",
    "algorithms",
    "run",
    "solving",
    "experiments",
    "report",
    "paper",
    "testing",
    "cli",
]
ONLY_IN = {
    "pyspiel": "games/openspiel.py",
    "open_spiel": "games/openspiel.py",
    "numba": "kernels/compiling.py",
    "ray": "experiments/executors/ray.py",
    "tensorboardX": "experiments/tensorboard.py",
    "matplotlib": "report/figures.py",
    "yaml": "experiments/yaml_data.py",
    "pydantic": "experiments/spec.py",
}
MODULES = sorted(path for path in SOURCE.rglob("*.py"))
ROOT = Path(__file__).parent.parent
ALL_FILES = sorted([*MODULES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")])


def imports(path):
    """Modules imported at run time, wherever in the file; what stands under TYPE_CHECKING does not count."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def layer(module):
    return module.split(".")[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path):
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if own in ("__init__", "__main__"):
        return
    assert own in LAYERS
    for module in imports(path):
        if module.startswith("gamebench.") and layer(module) in LAYERS:
            assert LAYERS.index(layer(module)) <= LAYERS.index(own), f"{own} must not import {module}"
        home = ONLY_IN.get(module.split(".")[0])
        assert home in (None, str(path.relative_to(SOURCE))), f"only {home} may import {module}"


@pytest.mark.parametrize("path", ALL_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_small(path):
    assert len(path.read_text().splitlines()) <= 500


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = "import gamebench, sys; print(*sorted(m for m in sys.modules if '.' not in m))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "numba", "pyspiel", "open_spiel", "scipy", "rich", "typer"} & set(loaded)


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['gamebench', '--help']\n"
        "from gamebench.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: print(*sorted(m for m in sys.modules if '.' not in m))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"numpy", "numba", "pyspiel", "scipy"} & set(shown.splitlines()[-1].split())


def test_every_public_name_is_there():
    for name in gb.__all__:
        assert getattr(gb, name) is vars(gb)[name], f"gb.{name} is looked up at every use"
    assert set(gb.__all__) <= set(dir(gb))
    with pytest.raises(AttributeError, match="No gamebench attribute nonsense"):
        gb.nonsense  # noqa: B018  (looking it up is the test)


def test_star_imports_bring_the_public_names():
    names = {}
    exec("from gamebench import *", names)
    assert set(gb.__all__) <= set(names)


def test_type_checkers_see_every_public_name():
    """In a stub only ``import X as X`` makes a name public."""
    stub = ast.parse((SOURCE / "__init__.pyi").read_text())
    imported = [alias for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(alias.name for alias in imported) == gb.__all__
    assert all(alias.asname == alias.name for alias in imported)
    assert (SOURCE / "py.typed").exists()


def test_no_test_has_a_time_limit_that_a_busy_machine_can_reach():
    """Limits are ``HANG``, which nothing reaches that does not hang."""
    limit = re.compile(r"(timeout=|\.wait\(|\.join\(|communicate\(|set_default_timeout\()[\d.]+\b")
    found = [
        f"{path.name}: {match.group()}"
        for path in Path(__file__).parent.rglob("*.py")
        for match in limit.finditer(path.read_text())
    ]
    assert not found
