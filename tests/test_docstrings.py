"""Examples in docstrings: they work, and every public function and class has one."""

import doctest
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import gamebench as gb

SOURCE = Path(gb.__file__).parent
WITH_EXAMPLES = sorted(path for path in SOURCE.rglob("*.py") if ">>> " in path.read_text())
WITHOUT_EXAMPLES = {"errors"}
"""Modules whose public classes need no examples: nobody raises such errors on purpose."""


def name_of(path):
    return ".".join(["gamebench", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")


@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize("module", [name_of(path) for path in WITH_EXAMPLES])
def test_examples_work(module, tmp_path, monkeypatch):
    """Each docstring runs with its own names in its own folder."""
    monkeypatch.chdir(tmp_path)
    failures = []
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder(exclude_empty=True).find(import_module(module), module):
        runner.run(example, out=failures.append)
    assert not failures, "".join(failures)
    assert runner.summarize(verbose=False).attempted > 0


def test_public_functions_and_classes_have_examples():
    public = {name: getattr(gb, name) for name in gb.__all__}
    lacking = [
        name
        for name, thing in public.items()
        if inspect.isfunction(thing) or inspect.isclass(thing)
        if thing.__module__.split(".")[1] not in WITHOUT_EXAMPLES
        if ">>> " not in (thing.__doc__ or "") and "see there for an example" not in (thing.__doc__ or "")
    ]
    assert not lacking
