"""The examples in the docstrings of public names work as shown."""

import doctest

import pytest

import gamebench as gb

EXAMPLES = [
    example
    for name in gb.__all__
    if callable(getattr(gb, name))  # a registry has no docstring of its own
    for example in doctest.DocTestFinder().find(getattr(gb, name), f"gamebench.{name}", globs={})
    if example.examples
]


@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_works_as_shown(example):
    said = []
    assert not doctest.DocTestRunner(verbose=False).run(example, out=said.append).failed, "".join(said)
