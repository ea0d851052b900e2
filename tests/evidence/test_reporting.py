"""``gamebench claims`` and ``gamebench report`` on the command line."""

import shutil

import pytest

from gamebench.evidence.claims import CLAIMS, Verdict
from tests.cli.commands import assert_one_sentence, done, gamebench, plain_rows, started
from tests.evidence.conftest import NAMES

in_paper_group = [pytest.mark.slow, pytest.mark.xdist_group("paper")]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A folder without the paper's experiments."""
    folder = tmp_path_factory.mktemp("small") / "results"
    process = gamebench("run", "Kuhn", "-a", "CFR", "-n", "8", "--out", folder)
    assert process.returncode == 0, process.stderr
    return folder


class TestOnTheTinyPaper:
    pytestmark = in_paper_group

    def test_claims_are_those_that_python_decides(self, paper, decided):
        assert len(decided) == len(CLAIMS)
        assert not any("missing" in one.measured for one in decided if one.claim.needs in NAMES)
        process = gamebench("claims", paper.folder, "--verdict", "holds")
        rows = plain_rows(process.stdout)
        holding = [one for one in decided if one.verdict is Verdict.HOLDS]
        assert [row["claim"] for row in rows] == [one.claim.name for one in holding] != []
        assert {row["verdict"] for row in rows} == {"holds"}
        totals = [[one.verdict for one in decided].count(verdict) for verdict in Verdict]  # whichever are shown
        assert "{} hold, {} fail, {} are undecided".format(*totals) in process.stderr
        assert (
            "Tested on runs of 12 iterations, 2 seeds of CMD. At the paper's scale, verdicts may differ."
            in process.stderr
        )
        one = gamebench("claims", paper.folder, "--name", "gmd-stuck-on-leduc").stdout
        assert "statement\tOn Leduc, GMD cannot" in one
        assert "test\tf(K) >= 0.1 f(0) with GMD. f is NashConv. Must be true in Leduc." in one
        assert "case\tanswer\tmeasured\nLeduc\ttrue\tGMD: " in one
        for decision in decided[:2]:
            assert done("claims", paper.folder, "--name", decision.claim.name) == [decision.as_dict()]


class TestOnOneExperiment:
    pytestmark = in_paper_group

    def test_the_page_has_the_claims(self, one_experiment, tmp_path):
        path = tmp_path / "page.html"
        process = gamebench("report", one_experiment, "--output", path, "--title", "A <b>tiny</b> paper")
        assert process.returncode == 0, process.stderr
        page = path.read_text(encoding="utf-8")
        assert len(page) < 8_000_000
        assert all(name in page for name in CLAIMS)
        assert "<b>tiny" not in page
        assert "2 iterations, 1 seed" in page

    def test_what_is_damaged_is_told_and_costs_nothing_else(self, one_experiment, tmp_path):
        folder = tmp_path / "results"
        shutil.copytree(one_experiment, folder)
        next(folder.glob("runs/*/curve.parquet")).write_bytes(b"nonsense")
        (folder / "numbers" / "runtime.csv").write_text("")
        (folder / "numbers" / "memory.csv").write_text("method,kilobytes\nCFR,3\n")
        process = gamebench("report", folder)
        assert process.returncode == 0, process.stderr
        told = ["curve.parquet", "runtime.csv' is not a table", "memory.csv' is not a table"]
        assert [process.stderr.count(words) for words in told] == [1, 1, 1]
        assert "A run is left out" in (folder / "report.html").read_text(encoding="utf-8")
        process = gamebench("claims", folder, "--name", "little-memory")
        assert (process.returncode, "verdict\tundecided" in process.stdout) == (0, True)
        process = gamebench("reproduce", "alternating", "--iterations", 2, "--seeds", 1, "--out", folder)
        assert process.returncode == 0, process.stderr
        assert "curve.parquet does not match its checksum; it will be repeated" in process.stderr


def test_the_page_of_any_folder(small):
    process = started("report", small)
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith(str(small / "report.html"))
    page = (small / "report.html").read_text(encoding="utf-8")
    assert '"Kuhn"' in page
    assert gamebench("status", small).returncode == 0  # in spite of the page in the folder


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["claims", "{small}"], "has none of the paper's experiments; gamebench reproduce runs them"),
        (["claims", "{small}/none"], "There is no folder"),
        (["claims", "{small}", "--name", "nonsense"], "has none of the paper's experiments"),
        (["claims", "--name", "little-memory", "--verdict", "holds"], "use only one of the options"),
        (["report", "{small}/none"], "There is no folder"),
        (["report", "{small}", "--output", "{small}/none/page.html"], "There is no folder"),
    ],
)
def test_mistakes(args, words, small):
    process = gamebench(*(arg.format(small=small) for arg in args))
    assert_one_sentence(process, 2)
    assert words in process.stderr
