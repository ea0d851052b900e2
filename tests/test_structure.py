"""The structure of the package: who may import whom, what is imported when, public names, and where tests are."""

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import gamebench as gb

SOURCE = Path(gb.__file__).parent
LAYERS = [
    "core",
    "system",
    "kernels",
    "games",
    "policies",
    "analysis",
    "algorithms",
    "runs",
    "experiments",
    "report",
    "evidence",
    "testing",
    "cli",
]
"""Each layer may import from itself and from those before it."""
DOORS = {
    "gamebench.games.sequence_form": {"kernels"},  # the arrays that kernels work on
    "gamebench.policies": {"games/transforms.py"},  # a focal player's opponents can be any policies
}
"""Exceptions to that order: what may be imported, and by whom."""
ONLY_IN = {
    "pyspiel": {"games/loading/openspiel.py"},
    "open_spiel": {"games/loading/openspiel.py"},
    "numba": {"kernels/compiling.py", "kernels/threads.py"},
    "ray": {"experiments/executors/ray.py"},
    "tensorboardX": {"experiments/tensorboard.py"},
    "optuna": {"experiments/search_space.py"},
    "matplotlib": {"report/figures.py"},
    "ruamel": {"experiments/yaml_data.py"},
    "pydantic": {"experiments/spec.py", "experiments/descriptions.py"},
}
MODULES = sorted(path for path in SOURCE.rglob("*.py"))
ROOT = Path(__file__).parent.parent


@cache
def parsed(path):
    return ast.parse(path.read_text())


def imports(path):
    """Modules imported at run time, anywhere in the file; imports under TYPE_CHECKING do not count."""
    found, nodes = [], [parsed(path)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Module | ast.stmt | ast.ExceptHandler):
            is_skipped = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            nodes += [] if is_skipped else ast.iter_child_nodes(node)
    return found


def layer(name):
    return re.split(r"[./]", name)[0]


def test_the_package_has_layers_and_nothing_else():
    inside = {path.name for path in SOURCE.iterdir()} - {"__pycache__"}
    assert inside == {*LAYERS, "__init__.py", "__init__.pyi", "__main__.py", "py.typed"}


def test_imports_go_one_way_between_layers():
    for path in MODULES:
        name = str(path.relative_to(SOURCE))
        for module in imports(path):
            package, _, inner = module.partition(".")
            homes = ONLY_IN.get(package)
            assert homes is None or name in homes, f"{name} must not import {module}: only {homes} may"
            if package != "gamebench" or layer(inner) not in LAYERS or layer(name) not in LAYERS:
                continue
            doors = {who for door, users in DOORS.items() if f"{module}.".startswith(f"{door}.") for who in users}
            is_down = LAYERS.index(layer(inner)) <= LAYERS.index(layer(name))
            assert is_down or doors & {name, layer(name)}, f"{name} must not import {module}"


def test_every_door_is_used():
    used = {(door, user) for door, users in DOORS.items() for user in users}
    found = {
        (door, user)
        for door, user in used
        for path in MODULES
        if str(path.relative_to(SOURCE)).startswith(user) and any(each.startswith(door) for each in imports(path))
    }
    assert found == used


def repeated(names):
    return {name for name, count in Counter(names).items() if count > 1}


def test_no_two_classes_or_types_share_a_name():
    nodes = [node for path in MODULES for node in parsed(path).body]
    names = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    names += [
        node.target.id
        for node in nodes
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias"
    ]
    assert not repeated(names)


def test_tests_mirror_the_layers():
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/__init__.py")}
    assert folders == {*LAYERS, "oracles"}


def test_tests_with_ray_are_where_make_looks_for_them():
    marked = [path for path in (ROOT / "tests").rglob("test_*.py") if "pytest.mark.ray" in path.read_text()]
    assert {path.parent.name for path in marked if path != Path(__file__)} == {"experiments"}
    assert (ROOT / "Makefile").read_text().count("-m ray tests/experiments\n") == 2


def test_make_names_tests_that_exist():
    for path, name in re.findall(r"(tests/\S+\.py)::(\w+)", (ROOT / "Makefile").read_text()):
        assert f"def {name}(" in (ROOT / path).read_text(), name


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = "import gamebench.core.settings, sys; print(*sorted(m for m in sys.modules if '.' not in m))"
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
    """Limits are ``HANG``, which only hanging code reaches."""
    limit = re.compile(r"(timeout=|\.wait\(|\.join\(|communicate\(|set_default_timeout\()[\d.]+\b")
    found = [
        f"{path.name}: {match.group()}"
        for path in Path(__file__).parent.rglob("*.py")
        for match in limit.finditer(path.read_text())
    ]
    assert not found
