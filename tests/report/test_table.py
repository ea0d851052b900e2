"""``gb.table``: numbers, marks, ranks, and escaped texts in LaTeX and Markdown."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import gamebench as gb
from gamebench.report.selection import select
from gamebench.report.table import ROWS, compare, numbers, plain
from tests.patience import HANG

WICKED = ["CFR+", "x^2", "a_b", "$", "a|b", "100%", r"\\end{x}", "[star]*", "a & b", "# <i>", "~`--'\"", "{"]


def curves(values):
    """Curves by method, of one value for each seed."""
    times = {"iteration": [1], "seconds": [1.0], "policies_evaluated": [1]}
    return {
        method: [gb.Curve({**times, "NashConv": [value]}, about={"game": "g"}) for value in seeds]
        for method, seeds in values.items()
    }


def test_numbers_ranks_and_ties():
    source = curves({"A": [0.2, 0.4], "B": [0.3 + 5e-8], "C": [0.5], "D": [0.3 + 2e-7]})
    frame = gb.table(source).set_index("method")
    np.testing.assert_allclose(frame["mean"], [0.3, 0.3 + 5e-8, 0.5, 0.3 + 2e-7], rtol=1e-12)
    np.testing.assert_allclose(frame.loc["A", ["low", "high"]].astype(float), [0.3 - 0.02**0.5, 0.3 + 0.02**0.5])
    assert frame["seeds"].tolist() == [2, 1, 1, 1]
    assert frame["rank"].tolist() == [1, 1, 4, 3]
    assert frame["best"].tolist() == [True, True, False, False]
    text = gb.table(source, format="markdown", rows="games", spread="range")
    assert text.splitlines() == [
        "| Game | Measure | A | B | C | D |",
        "|:--|:--|--:|--:|--:|--:|",
        "| g | NashConv | **0.300 [0.200, 0.400]** | **0.300** | 0.500 | 0.300 |",
        "| Mean rank |  | 1 | 1 | 4 | 3 |",
    ]


def test_mean_ranks_are_over_games_with_a_rival():
    both = {"A": [gb.solve("Kuhn", "CFR+", 8), gb.solve("Leduc", "CFR+", 8)], "B": gb.solve("Kuhn", "CFR", 8)}
    frame = gb.table(both)
    assert frame.groupby("method")["mean_rank"].first().to_dict() == {"A": 1.0, "B": 2.0}
    assert not frame[frame["game"] == "Leduc"]["best"].any()  # there is nothing to win
    lines = gb.table(both, format="latex", rows="games").splitlines()
    assert lines[-3] == "Mean rank &  & 1 & 2 \\\\"
    assert lines[6].endswith(" &  \\\\")  # B was not run on Leduc
    assert "mean_rank" in gb.table(both, format="csv").splitlines()[0]


def test_numbers_for_people():
    for mean, edges, expected in (
        (0.5, [], "0.500"),
        (0.5, [0.1], "0.500 ± 0.100"),
        (1.5e-7, [0.1e-7], "1.50e-7 ± 0.10e-7"),
        (1e-9, [0.5], "0.000 ± 0.500"),
        (12345.0, [12000.0, 13000.0], "1.23e4 [1.20e4, 1.30e4]"),
        (-0.5, [-0.6, -0.25], "-0.500 [-0.600, -0.250]"),
        (0.0, [0.0], "0 ± 0"),
        (float("inf"), [], "inf"),
        (999.6, [], "1000"),
        (9.9996e-11, [], "1.00e-10"),
        (2.61e-10, [2e-15], "2.61e-10 ± 2.0e-15"),
        (0.5, [0.0001], "0.500 ± 0.00010"),
        (0.5, [1e-9, 1.0], "0.50 [1.0e-9, 1.00]"),
        (2.61e-10, [0.0], "2.61e-10 ± 0"),
    ):
        assert plain(mean, edges, 3) == expected


@pytest.mark.parametrize("spread", ["std", "ci", "range", "iqr"])
def test_seeds_that_agree_have_no_spread_but_say_so(spread):
    source = curves({"A": [0.1, 0.1, 0.1], "B": [0.2], "C": [0.3, 0.4]})
    text = gb.table(source, format="markdown", rows="games", spread=spread)
    assert "| **0.100 (seeds agree)** | 0.200 | 0.350" in text
    latex = gb.table(source, format="latex", rows="games", spread=spread)
    assert r"{\boldmath$0.100$} (seeds agree) & $0.200$ & " in latex
    row = gb.table(source, spread=spread).set_index("method").loc["A"]
    assert (row["seeds"], row["low"]) == (3, row["high"])
    assert compare(select(source).contests, spread).rows[0].seeds_agree


def test_mean_and_spread_have_a_common_power_of_ten_in_latex():
    assert numbers(1.5e-7, [0.1e-7], 3) == [("1.50", -7), ("0.10", -7)]
    text = gb.table(curves({"A": [1.4e-5, 1.6e-5], "B": [1.0]}), format="latex")
    assert r"A & {\boldmath$(1.50 \pm 0.14) \times 10^{-5}$} & 1 \\" in text
    small = gb.table(curves({"A": [2.61e-10 - 1e-15, 2.61e-10 + 1e-15], "B": [0.1] * 3}), format="latex")
    assert r"$2.61 \times 10^{-10} \pm 1.4 \times 10^{-15}$" in small
    assert r"B & $0.100$ (seeds agree) & 2 \\" in small  # though the mean of the three is not quite 0.1
    assert r"B & $1.00$ & 2 \\" in text


def latex_as_read(text):
    """What LaTeX would print for an escaped name, which may contain only known commands and braces."""
    words = {"textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~"}
    words |= {"textless": "<", "textgreater": ">", "textbar": "|"}
    read = re.sub(r"\\(text[a-z]+)\{\}", lambda match: f"\0{ord(words[match[1]])}\0", text)
    read = re.sub(r"\\([&%$#_{}])", lambda match: f"\0{ord(match[1])}\0", read)
    assert not re.search(r"[\\&%$#_^~<>|]|--", read), read
    read = re.sub(r"[{}]", "", read)
    return re.sub("\0(\\d+)\0", lambda match: chr(int(match[1])), read)


def test_names_are_escaped_in_latex():
    lines = gb.table(curves({name: [1.0] for name in WICKED}), format="latex", rows="methods").splitlines()
    first, last = lines.index("\\midrule"), lines.index("\\bottomrule")
    names = [re.split(r"(?<!\\) & ", line)[0] for line in lines[first + 1 : last]]
    assert [latex_as_read(name) for name in names] == WICKED
    assert not any(name[0] in "[*" for name in names)  # behind a line break they would be its options
    assert lines[1] == r"\begin{tabular}{lrr}"
    foreign = gb.table(curves({"\u03c8": [1.0]}), format="latex")
    assert "% Compile with LuaLaTeX or XeLaTeX: names contain \u03c8" in foreign
    assert "\x1b" not in gb.table(curves({"a\x1b\nb": [1.0]}), format="latex")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_latex_compiles(tmp_path):
    tables = (gb.table(curves({name: [1.0, 2.0] for name in WICKED}), format="latex", rows=rows) for rows in ROWS)
    text = "\n\n".join(tables)
    page = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{text}\n\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(page)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=HANG, check=False)
    assert done.returncode == 0, done.stdout


def test_names_are_escaped_in_markdown():
    lines = gb.table(curves({name: [1.0] for name in WICKED}), format="markdown", rows="methods").splitlines()[2:]
    names = [re.split(r" (?<!\\)\| ", line)[0].removeprefix("| ") for line in lines]
    assert [re.sub(r"\\([!-/:-@[-`{-~])", r"\1", name) for name in names] == WICKED
    assert not any(re.search(r"(?<!\\)[*_|<$`]", name.replace("\\\\", "")) for name in names)


def test_rows_are_whichever_there_are_more_of():
    assert gb.table(curves({"A": [1.0]}), format="markdown").startswith("| Game |")
    assert gb.table(curves({"A": [1.0], "B": [2.0]}), format="markdown").startswith("| Method |")


def test_options_that_make_no_sense():
    source = curves({"A": [1.0]})
    for options, sentence in (
        ({"format": "html"}, "There is no format called 'html'; available: latex, markdown, csv"),
        ({"format": "latex", "rows": "game"}, "did you mean 'games'"),
        ({"format": "latex", "digits": 0}, "digits must be a whole number from 1 to 15"),
        ({"spread": "sd"}, "did you mean 'std'"),
        ({"methods": "B"}, "There is no method among the results called 'B'"),
    ):
        with pytest.raises(gb.errors.GameBenchError, match=sentence):
            gb.table(source, **options)
