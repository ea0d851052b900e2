"""The results that come with the package: they are what was measured, and new runs are compared with them."""

from dataclasses import replace

import numpy as np
import pytest
from tools.ship import ship

import gamebench as gb
from gamebench.evidence.claims import CLAIMS, decide_all
from gamebench.evidence.claims.criteria import leads_early
from gamebench.evidence.experiments import CCE_CMD, CMD, FIELD_METHODS, SIX, TEN, WELFARE_CMD, controllers
from gamebench.evidence.methods import GAMES, Scale, recorded
from gamebench.evidence.shipped import ShippedEvidence, check_comparable, field_leaderboard, rivals
from tests.cli.commands import assert_one_sentence, done, gamebench, plain_rows
from tests.evidence.conftest import NAMES


@pytest.fixture(scope="module")
def shipped():
    return ShippedEvidence()


@pytest.mark.slow
@pytest.mark.xdist_group("paper")
def test_what_is_shipped_is_what_the_folder_holds(paper, decided, tmp_path):
    """Curves bit for bit, tables to six digits, and the same answers to all claims but those about costs."""
    ship(paper.evidence, tmp_path / "shipped", NAMES)
    copy = ShippedEvidence(tmp_path / "shipped")
    assert copy.scale == paper.evidence.scale
    for game, method in [("Leduc", CMD), ("Kuhn", CCE_CMD), ("Battleship", WELFARE_CMD), ("Kuhn-A", SIX[4])]:
        ours, theirs = copy.curves(game, method), paper.evidence.curves(game, method)
        assert list(ours) == list(theirs) != []
        for seed, curve in ours.items():
            assert set(curve) == set(theirs[seed])
            assert all(np.array_equal(curve[name], theirs[seed][name]) for name in curve)
    np.testing.assert_allclose(copy.table("memory")["MB"], paper.evidence.table("memory")["MB"], rtol=1e-5)
    answers = [{one.claim.name: one.verdict for one in decisions} for decisions in (decide_all(copy), decided)]
    assert answers[0] == answers[1]


def test_the_shipped_runs_are_at_the_papers_scale(shipped):
    assert shipped.scale == Scale()
    for game in GAMES:
        for method in (*SIX, *controllers(CMD)):
            curves = shipped.curves(game, method)
            assert list(curves) == list(range(3 if method.algorithm == "CMD" else 1))
            for curve in curves.values():
                assert curve["iteration"].tolist() == Scale().points
                assert set(recorded(game)) <= set(curve)
    assert shipped.curves("Leduc", CCE_CMD) == {}  # it was not run


def test_the_shipped_numbers_are_those_of_this_version(shipped):
    """The first points of some curves, recomputed: if the numbers change, everything must be run again."""
    for game, method in [("Kuhn", SIX[2]), ("Leduc", SIX[5]), ("TradeComm", SIX[1]), ("Kuhn-A", SIX[3])]:
        [curve] = shipped.curves(game, method).values()
        points = [point for point in Scale().points if point <= 32]
        measure = recorded(game)[0]
        again = gb.solve(game, method.algorithm, 32, checkpoints=points, measures=[measure]).curve
        np.testing.assert_allclose(curve[measure][: len(points)], again[measure], rtol=1e-9, atol=1e-12)


def test_what_is_called_short_decides_whether_cfr_plus_leads(shipped):
    """As the remark says."""
    for name in (name for name in CLAIMS if "-early-then-caught" in name or "joint-policies-cfr-plus" in name):
        claim = CLAIMS[name]
        assert claim.decide(shipped).verdict == "holds"
        later = leads_early(**{**claim.test.arguments, "early": 128})
        assert replace(claim, test=later).decide(shipped).verdict == "fails"


def test_cmd_comes_to_an_equilibrium_of_leduc_and_leaves_it_now_and_then(shipped):
    """As the remark says."""
    runs = shipped.track("Leduc", CMD, "NashConv")
    level = 1e-3 * runs.values[0, 0]
    assert np.isfinite(runs.reaches(level)).all()
    assert (runs.ends <= level).all()
    later = runs.x[0] > runs.reaches(level)[:, None]
    assert (runs.values[later] > level).any()


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("cmd-sooner-than-mmd-kl", "holds"),
        ("cmd-finds-equilibrium-exact", "fails"),
        ("rs-stuck-on-leduc", "fails"),
        ("glds-stuck-on-leduc", "fails"),
        ("history-makes-gmd-sooner", "fails"),
    ],
)
def test_what_the_readme_says_of_claims(shipped, name, verdict):
    assert CLAIMS[name].decide(shipped).verdict == verdict


def test_what_the_readme_says_of_the_field():
    standings = {row.method: row for row in field_leaderboard().standings}
    assert list(standings)[:5] == ["CRD", "CMD(SR)", "PDCFR+", "APCFR+", "PCFR+"]
    assert [round(standings[name].rank, 1) for name in ("CRD", "CMD(SR)", "PDCFR+", "CMD")] == [1.1, 2.3, 2.5, 11.2]
    assert standings["CRD"].won == 22
    for column, budget in (("policies_evaluated", 100), ("seconds", 0.1)):
        early = {row.method: row.rank_after[budget] for row in field_leaderboard(column).standings}
        assert early["PDCFR+"] <= early["CRD"]
    decided = CLAIMS["field-crd-on-par"].decide(ShippedEvidence())
    assert [one.case for one in decided.findings if one.answer is not True] == ["Leduc-3"]
    decided = CLAIMS["field-pdcfr-plus-on-par"].decide(ShippedEvidence())
    assert [one.case for one in decided.findings if one.answer is not True] == ["TinyHanabi-A", "MCCKuhn-B"]


def test_where_the_shipped_numbers_come_from(shipped):
    summary = shipped.provenance["summary"]
    assert (summary["iterations"], summary["seeds"], summary["runs"]) == (100_000, 3, 120)
    assert summary["done before"] == 0  # so that the time covers all runs
    assert summary["seconds elapsed"] < 20 * 60
    for name in ("runtime", "memory"):
        table = shipped.table(name)
        assert len(table) == len(TEN) * len(GAMES)


def test_baselines_are_a_data_frame():
    frame = gb.baselines("leduc")
    assert list(dict.fromkeys(frame["method"])) == [method.label for method in FIELD_METHODS]
    assert {"NashConv", "NashConv [current]", "NashConv [linear]"} <= {*frame}
    assert frame.groupby("method")["seed"].nunique().to_dict()["CMD"] == 3
    assert frame["iteration"].max() == 100_000
    with pytest.raises(gb.errors.UnknownNameError, match="Leduc"):
        gb.baselines("Ledduc")
    with pytest.raises(gb.errors.GameBenchError, match="There are no baselines for 'Goofspiel-6'"):
        gb.baselines("Goofspiel-6")


@pytest.mark.parametrize("game", [3, None, ["Kuhn"], gb.Game.from_payoffs([[0.0], [1.0]])])
def test_baselines_of_what_is_not_a_name(game):
    with pytest.raises(
        gb.errors.GameBenchError, match=rf"shorthand of a game, such as 'Kuhn', not {type(game).__name__}\.$"
    ):
        gb.baselines(game)


def test_rivals_of_a_run(shipped):
    """CFR+ compared with itself: the same value at the same iteration, first reached at that iteration."""
    game = gb.load_game("Leduc")
    curve = gb.solve(game, "CFR+", 64).curve
    found = {row["method"]: row for row in rivals("Leduc", game.fingerprint, {0: curve}, "NashConv").as_dicts()}
    mine, own = found["CFR+"], found.pop("this run")
    assert (mine["as this run"], mine["seeds"], found["CMD"]["seeds"]) == (64, 1, 3)
    assert own["NashConv at 64"] == own["at its end"] == curve["NashConv"][-1]
    assert mine["NashConv at 64"] == pytest.approx(own["NashConv at 64"], rel=1e-9)
    frame = gb.baselines("Leduc")
    ends = frame[frame["iteration"] == 100_000].groupby("method")["NashConv"].mean()
    assert {name: one["at its end"] for name, one in found.items()} == pytest.approx(ends.to_dict(), rel=1e-12)
    means = frame[frame["method"] == "CMD"].groupby("iteration")["NashConv"].mean()
    assert found["CMD"]["as this run"] == means[means <= curve["NashConv"][-1]].index.min()


def test_a_run_of_several_seeds_is_as_good_as_itself():
    game = gb.load_game("Kuhn")
    curves = {seed: gb.solve(game, "CMD", 64, seed=seed).curve for seed in (0, 1)}
    assert curves[0]["NashConv"][-1] != curves[1]["NashConv"][-1]
    assert rivals("Kuhn", game.fingerprint, curves, "NashConv").as_dicts()[0]["as this run"] <= 64


def test_those_who_end_at_rounding_error_are_as_good_as_each_other():
    game = gb.load_game("Kuhn-A")
    curve = gb.solve(game, "MMD-KL", 4000).curve
    assert curve["OptGap"][-1] < 1e-15
    found = {row["method"]: row for row in rivals("Kuhn-A", game.fingerprint, {0: curve}, "OptGap").as_dicts()}
    assert {name for name, one in found.items() if one["as this run"] is None} == {"CFR"}
    assert all(one["at its end"] < 1e-9 for name, one in found.items() if name != "CFR")


def test_compare_on_the_command_line(tmp_path):
    process = gamebench("run", "Kuhn", "-a", "CFR", "-n", "50", "--compare", "--out", tmp_path)
    assert process.returncode == 0, process.stderr
    rows = plain_rows("\n".join(process.stdout.splitlines()[2:]))
    assert {row["method"] for row in rows} == {"this run", *(method.label for method in FIELD_METHODS)}
    goals = ["to 0.001", "to 1e-6", "to 1e-9"]
    assert list(rows[0]) == ["method", "rank", "NashConv at 32", "at its end", *goals, "as this run"]
    ranks = [int(row["rank"]) for row in rows]
    assert ranks == sorted(ranks)
    by_method = {row["method"]: row for row in rows}
    for column in ("rank", "NashConv at 32"):
        assert by_method["this run"][column] == by_method["CFR"][column]
    own = done("run", "Kuhn", "-a", "CFR", "-n", "50", "--compare", "--out", tmp_path)
    assert own["runs"][0]["iteration"] == 50
    assert {one["method"] for one in own["compared"]} == {*by_method}
    assert [own["compared"][0][goal] for goal in goals] == [None] * 3


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["kuhn_poker(players=4)"], "There are no baselines for 'kuhn_poker(players=4)'"),
        (["Kuhn", "--measure", "SocialWelfare"], "measured by NashConv"),
    ],
)
def test_nothing_to_compare_with(args, words, tmp_path):
    process = gamebench("run", *args, "--compare", "--out", tmp_path / "new")
    assert_one_sentence(process, 2)
    assert words in process.stderr
    assert not (tmp_path / "new").exists()


def test_large_games_have_no_baselines_unless_papers_on_solvers_use_them():
    with pytest.raises(gb.errors.GameBenchError, match="no baselines for 'Goofspiel-6'"):
        check_comparable("Goofspiel-6", gb.catalogue.LARGE_GAMES["Goofspiel-6"].fingerprint, "NashConv")
    row = gb.catalogue.LARGE_GAMES["Leduc-3"]
    assert check_comparable("Leduc-3", row.fingerprint, "NashConv") is row
