"""Facts that are repeated in several files, because each tool reads its own, are the same in all of them."""

import re
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import gamebench as gb

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = YAML(typ="safe").load(ROOT / "conda" / "recipe.yaml")
CITATION = YAML(typ="safe").load(ROOT / "CITATION.cff")
WORKFLOW = YAML(typ="safe").load(ROOT / ".github" / "workflows" / "ci.yml")
OTHER_NAMES = {"matplotlib-base": "matplotlib"}
"""Names on conda-forge that differ from those on PyPI."""


@pytest.fixture(scope="module")
def pythons():
    """The supported versions of Python, according to the classifiers."""
    found = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", text) for text in PROJECT["classifiers"]]
    return [match[1] for match in found if match]


def test_every_file_has_the_same_version_and_date():
    newest, date = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE).groups()
    assert newest == gb.__version__
    assert CITATION["version"] == gb.__version__
    assert CITATION["date-released"] == date
    assert RECIPE["context"]["version"] == gb.__version__


def test_the_recipe_needs_what_pip_installs():
    python, *others = RECIPE["requirements"]["run"]
    assert python == "python >=${{ python_min }}"
    assert PROJECT["requires-python"] == f">={RECIPE['context']['python_min']}"
    named = [tuple(line.split()) for line in others]
    everywhere = [text.split(";")[0] for text in PROJECT["dependencies"]]
    assert [f"{OTHER_NAMES.get(name, name)}{version}" for name, version in named] == everywhere
    [script] = RECIPE["build"]["python"]["entry_points"]
    assert dict([script.split(" = ")]) == PROJECT["scripts"]


def test_the_citation_has_what_its_format_requires():
    """See https://citation-file-format.github.io, version 1.2.0; dates and versions are strings there."""
    assert set(CITATION) >= {"cff-version", "message", "title", "authors"}
    assert (CITATION["cff-version"], CITATION["type"], CITATION["license"]) == ("1.2.0", "software", PROJECT["license"])
    assert all(isinstance(CITATION[key], str) for key in ("version", "date-released"))
    paper = CITATION["preferred-citation"]
    assert set(paper) >= {"type", "title", "authors", "year"}
    assert all(set(author) == {"family-names", "given-names"} for author in paper["authors"])
    assert [set(author) for author in CITATION["authors"]] == [{"name"}]


def test_all_promised_versions_of_python_are_tried(pythons):
    assert pythons == ["3.11", "3.12", "3.13", "3.14"]
    matrix = WORKFLOW["jobs"]["quick"]["strategy"]["matrix"]
    assert matrix["python"] == pythons
    assert matrix["os"] == ["ubuntu-latest", "macos-latest"]
    [full] = [step["with"]["python-version"] for step in WORKFLOW["jobs"]["test"]["steps"] if "with" in step]
    assert matrix["exclude"] == [{"os": "ubuntu-latest", "python": full}]


def test_the_image_copies_files_that_exist_and_are_not_ignored(pythons):
    text = (ROOT / "Dockerfile").read_text()
    copied = [word for line in re.findall(r"^COPY (.*)$", text, re.MULTILINE) for word in line.split()[:-1]]
    kept = re.findall(r"^!(.*)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    assert sorted(copied) == sorted(kept)
    assert all((ROOT / name).exists() for name in copied)
    assert set(re.findall(r"^FROM python:(\S+)-slim", text, re.MULTILINE)) <= set(pythons)
    extras = re.search(r"^ARG EXTRAS=(.*)$", text, re.MULTILINE)[1].split(",")
    assert set(extras) <= set(PROJECT["optional-dependencies"])
