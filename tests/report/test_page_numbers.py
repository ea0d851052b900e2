"""How the page writes numbers and chooses ticks: its modules without a browser, in Node."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gamebench.report.page.assembly import ASSETS

NODE = shutil.which("node", path=Path(sys.executable).parent) or shutil.which("node")
CASES = {
    "digits(0.125, 4)": "0.125",
    "digits(-2 / 3, 3)": "\u22120.667",
    "digits(1500, 2)": "1500",  # not 1.5e+3
    "digits(0.00012, 4)": "1.2\u00d710\u207b\u2074",
    "digits(-12345678, 3)": "\u22121.23\u00d710\u2077",
    "digits(0, 4)": "0",
    "digits(-Infinity, 4)": "\u2212\u221e",
    "digits(null, 4)": "",
    "count(1234567)": "1\u2009234\u2009567",
    "count(12.5)": "12.5",
    "seconds(1234.4)": "1\u2009234",
    "duration(90)": "90 s",
    "duration(600)": "10 min",
    "duration(9000)": "2.5 h",
    "nearestPower(0.00099)": "10\u207b\u00b3",
    "nearestPower(1)": "1",
    "plural(1, 'game') + plural(2, 'game')": "1 game2 games",
    "date('2026-01-02T03:04:05Z')": "2026-01-02 03:04:05 UTC",
    "clamp(7, 0, 5)": 5,
    # Ticks: round numbers, about as many as there is room for.
    "linearScale(0, 1, 0, 100).ticks(5).map((tick) => tick.text)": ["0", "0.2", "0.4", "0.6", "0.8", "1"],
    "linearScale(-0.3, 1.4, 0, 100).ticks(4).map((tick) => tick.value)": [0, 0.5, 1],
    "linearScale(3, 3, 0, 100)(3)": 50,
    "linearScale(6, 6.000000000000001, 0, 100).ticks(5).length > 1": True,  # they differ by rounding alone
    "linearScale(10, 20, 100, 0)(12.5)": 75,
    "logScale(1, 1000, 0, 300, {})(10)": 100,
    "logScale(1, 1e6, 0, 1, {}).ticks(3).map((tick) => tick.value)": [1, 1000, 1000000],
    "logScale(1e-5, 1, 0, 1, { fromBelow: true }).ticks(4).map((tick) => tick.text)": [
        "10\u207b\u2075",
        "10\u207b\u00b3",
        "10\u207b\u00b9",
    ],
    # Zero has a place of its own before the least number, and what is between them lies evenly.
    "logScale(1, 1000, 0, 1, { hasZero: true })(0)": 0,
    "logScale(1, 10, 0, 135, { hasZero: true })(0.5).toFixed(6)": "17.500000",
    "logScale(1, 10, 0, 1, { hasZero: true }).ticks(5).map((tick) => tick.text)": ["0", "1", "10"],
    "extent([[3, 1], [2, 7]])": [1, 7],
    "leastPositive([[0, 3], [-1, 2]])": 2,
}


@pytest.mark.skipif(NODE is None, reason="Node is not installed: make check")
def test_numbers_and_ticks():
    imports = (f"...await import({(ASSETS / 'js' / name).as_uri()!r})" for name in ("numbers.js", "scales.js"))
    code = f"Object.assign(globalThis, {{ {', '.join(imports)} }}); const all = {json.dumps(list(CASES))};"
    code += "console.log(JSON.stringify(all.map((expression) => eval(expression))))"
    command = [NODE, "--input-type=module", "--eval", code]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert dict(zip(CASES, json.loads(shown), strict=True)) == CASES
