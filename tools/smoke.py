"""Try a few commands of the installed package, away from its source: ``python -P smoke.py`` in an empty folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import gamebench as gb
from gamebench.evidence.claims import CLAIMS

COMMAND = Path(sys.executable).with_name("gamebench")
PLUGIN = """
import gamebench as gb

@gb.register_measure
def largest_gain(game, policy):
    return gb.improvements(game, policy).max()
"""


def run(*arguments: str) -> str:
    """Run a command, which must succeed, and return its output."""
    print("gamebench", *arguments, file=sys.stderr)
    return subprocess.run([COMMAND, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    """Run everything; a failure ends in a traceback."""
    home = Path(gb.__file__).resolve()
    assert home.is_relative_to(Path(sys.prefix).resolve()), f"{home} is not the installed package"
    assert (home.parent / "py.typed").exists()
    assert run("--version").strip() == gb.__version__
    assert "reproduce" in run("--help")
    assert {row["game"] for row in json.loads(run("list", "games", "--json"))} >= {"Kuhn", "Leduc", "MCCKuhn-A"}
    for kind in ("algorithms", "controllers", "convex", "measures", "experiments"):
        assert json.loads(run("list", kind, "--json"))
    assert not [check for check in json.loads(run("doctor", "--json")) if check["wrong"]]
    assert gb.evaluate(gb.load_game("Kuhn"), gb.uniform_policy(gb.load_game("Kuhn")), "NashConv") == 2.0625
    Path("plugin.py").write_text(PLUGIN)
    [found] = json.loads(
        run("run", "Kuhn", "-n", "200", "--measure", "largest_gain", "--plugin", "plugin.py", "--json")
    )
    assert 0.0 < found["largest_gain"] < 0.1
    assert len(json.loads(run("run", "Leduc", "-n", "64", "--compare", "--json"))["compared"]) > 5
    rows = json.loads(
        run("sweep", "overview", "games=[Kuhn,MCCKuhn-A]", "iterations=20", "--figure", "f.png", "--json")
    )
    assert len(rows) == 14
    run("report")
    assert Path("gamebench-results/report.html").stat().st_size > 100_000
    assert {one["name"] for one in json.loads(run("claims", "--json"))} == set(CLAIMS)
    run("reproduce", "teams", "--iterations", "4", "--seeds", "1")
    run("check", "NashConv", "CMD")
    print(f"gamebench {gb.__version__} works from {home.parent}")


if __name__ == "__main__":
    main()
