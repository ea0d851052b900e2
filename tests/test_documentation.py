"""Every code block of the README and the docs runs, and every value shown beside it is the one that comes out."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language):
    for page in PAGES:
        found = [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]
        if found:
            yield pytest.param(found, id=str(page.relative_to(ROOT)))


def shown_values(code):
    """Line number -> the value that a comment ``# -> value`` promises for the expression on that line."""
    promises = enumerate(code.splitlines(), start=1)
    return {number: line.split("# -> ")[1] for number, line in promises if "# -> " in line}


def check_code(code, namespace):
    promised = shown_values(code)
    for statement in ast.parse(code).body:
        source = ast.unparse(statement)
        if statement.end_lineno in promised:
            expected, value = promised.pop(statement.end_lineno), eval(source, namespace)  # our own documents
            value = value.item() if isinstance(value, np.generic) else value
            if isinstance(value, float):
                assert value == pytest.approx(float(expected), abs=1e-12), source
            else:
                assert repr(value) == expected, source
        else:
            exec(source, namespace)
    assert not promised, "a promised value must stand behind an expression"


@pytest.mark.parametrize("code_blocks", list(blocks("python")))
def test_python_blocks(code_blocks, tmp_path, monkeypatch, own_names):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for code in code_blocks:
        check_code(code, namespace)


@pytest.mark.parametrize("console_blocks", list(blocks("console")))
def test_console_blocks(console_blocks, tmp_path):
    for block in console_blocks:
        for session in block.split("$ ")[1:]:
            command, expected = session.split("\n", 1)
            path = Path(sys.executable).parent
            done = subprocess.run(
                f"{path}/{command}", shell=True, capture_output=True, text=True, cwd=tmp_path, check=True
            )
            assert done.stdout == expected


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target
