"""The code of the benchmarks: saving, comparing, publishing and fitting made-up results, and a few real runs."""

import json
import re
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from benchmarks import comparison, magnetic, measuring, record, scaling, solving, tables, variants
from benchmarks.agreement import Agreement, compare_solvers
from benchmarks.commands import main
from benchmarks.engines import lite_efg
from benchmarks.engines.open_spiel import CPP, RegretSolver
from benchmarks.engines.ours import OurSolver
from benchmarks.groups import GROUPS, chosen
from benchmarks.power_law import fit, fits
from benchmarks.result import BEST, MEBIBYTES, Engine, Point, Result
from benchmarks.timing import best_in_turns, in_turns
from tools import pages

import gamebench as gb
from gamebench.core.errors import UnknownNameError

CFR = Result("CFR iteration", "Leduc", 50e-6, Engine.CPP, "pyspiel.CFRSolver", 12e-3, 100, note="the same NashConv")
PYTHON_CFR = replace(CFR, engine=Engine.PYTHON, other="cfr.CFRSolver", theirs=0.25, target=None)
GMD = Result("GMD iteration", "Leduc", 130e-6, Engine.OURSELVES, "CFR iteration", 40e-6, 3.5, False)
START = Result("import gamebench", "", 0.015, Engine.LIMIT, "promised", 0.3, 1, False)
MEMORY = Result("growth of memory", "Kuhn", 0.0, Engine.LIMIT, "promised", 1, 1, False, unit=MEBIBYTES)
PCFR = Result(f"PCFR+{BEST}", "Leduc", 36e-6, Engine.OURSELVES, f"CFR+{BEST}", 30e-6, 1.35, False)
OWN_PCFR = Result(f"own PCFR+{BEST}", "Leduc", 45e-6, Engine.OURSELVES, f"PCFR+{BEST}", 36e-6, 1.5, False)
POINTS = tuple(Point("CFR", f"game {n}", n, 5e-9 * n) for n in (58, 1000, 20_000, 1_831_601))
MADE_UP = record.Record(
    date="2026-01-02T03:04:05Z",
    groups=tuple(GROUPS),
    minutes=9.5,
    load=(0.25, 1.5),
    commit="abcdef",
    versions={"gamebench": "0.1.0", "open_spiel": "2.0.2", "LiteEFG": "1.0.0", "python": "3.11.7"},
    machine={"system": "Linux", "architecture": "x86_64", "processor": "A processor", "cores": 2},
    results=(CFR, PYTHON_CFR, GMD, START, MEMORY),
    points=POINTS,
    stolen={"solving": 0.25},
)


def with_results(*results, **changes):
    return replace(MADE_UP, **{"results": results, "points": ()} | changes)


def changed(*, of=MADE_UP, ours=1.0, theirs=1.0):
    """The same run, with the times of GameBench and of other packages multiplied by ``ours`` and ``theirs``."""

    def slow(one):
        is_other = one.engine.package is not None
        return replace(one, ours=one.ours * ours, theirs=one.theirs * (theirs if is_other else 1.0))

    points = tuple(replace(point, seconds=point.seconds * ours) for point in of.points)
    return replace(of, results=tuple(map(slow, of.results)), points=points)


def compare_files(tmp_path, before, now):
    paths = [tmp_path / "old.json", tmp_path / "new.json"]
    for path, one in zip(paths, (before, now), strict=True):
        path.write_text(record.as_json(one))
    return main(["compare", *map(str, paths)])


class TestSaving:
    def test_what_is_saved_is_read(self, tmp_path):
        assert record.read(record.save(MADE_UP, tmp_path)) == MADE_UP

    def test_the_latest_complete_run_is_found(self, tmp_path):
        complete = record.save(MADE_UP, tmp_path)
        record.save(replace(MADE_UP, date="2026-02-02T00:00:00Z", groups=("solving",)), tmp_path)
        (tmp_path / "2026-03-03T000000Z.json").write_text("{}")
        assert record.latest(tmp_path) == complete
        complete.unlink()
        with pytest.raises(record.RecordError, match="no results of a complete run"):
            record.latest(tmp_path)

    def test_a_run_says_where_it_comes_from(self):
        found = record.Recorder(0.0, 0.5, "abcdef").finish(["solving"], [CFR, POINTS[0]])
        assert (found.date, found.load[0], found.commit) == ("1970-01-01T00:00:00Z", 0.5, "abcdef")
        assert found.results == (CFR,)
        assert found.points == (POINTS[0],)
        assert not found.is_complete
        assert {"gamebench", "open_spiel", "LiteEFG", "numpy", "numba", "python"} <= set(found.versions)
        assert {"processor", "cores"} <= set(found.machine)

    def test_time_that_other_machines_took_is_noted_where_the_system_says_so(self, tmp_path, monkeypatch):
        recorder = record.Recorder(0.0, 0.5, None)
        monkeypatch.setattr(record, "STATISTICS", tmp_path / "stat")
        with recorder.watching("magnetic"):
            pass
        (tmp_path / "stat").write_text("cpu 100 10 50 1000 5 0 0 40 0 0\ncpu0 1 2 3\n")
        with recorder.watching("solving"):
            (tmp_path / "stat").write_text("cpu 160 10 60 2000 5 2 3 65 0 0\ncpu0 1 2 3\n")
        assert recorder.finish(["solving"], [CFR]).stolen == {"solving": 0.25}

    def test_promises(self):
        assert MADE_UP.holds
        assert not with_results(replace(CFR, ours=CFR.theirs / 99)).holds
        assert not with_results(replace(GMD, ours=GMD.theirs * 3.6)).holds
        assert not with_results(replace(CFR, within_limits=False)).holds
        assert not replace(MADE_UP, points=(replace(POINTS[0], holds=False),)).holds


class TestComparing:
    def test_the_same_run_is_not_slower(self, tmp_path, capsys):
        assert compare_files(tmp_path, MADE_UP, MADE_UP) == 0
        assert capsys.readouterr().out == "Of 7 times nothing became slower by more than 20%.\n"

    def test_a_slower_machine_is_no_slower_code(self, tmp_path, capsys):
        assert compare_files(tmp_path, MADE_UP, changed(ours=3.0, theirs=3.0)) == 0
        assert "nothing became slower" in capsys.readouterr().out

    def test_slower_code(self, tmp_path, capsys):
        assert compare_files(tmp_path, MADE_UP, changed(ours=3.0, theirs=2.0)) == 1
        shown = capsys.readouterr().out
        assert (
            "SLOWER  CFR iteration, Leduc: 1.50 times the cost (50 us, now 150 us; other engines there: 2.00 " in shown
        )
        assert (
            "SLOWER  GMD iteration, Leduc: 1.50 times the cost (130 us, now 390 us; the machine: 2.00 times)" in shown
        )
        assert shown.endswith("Of 7 times 7 became slower by more than 20%.\n")

    @pytest.mark.parametrize(("factor", "code"), [(1.19, 0), (1.21, 1)])
    def test_the_limit(self, tmp_path, factor, code):
        assert compare_files(tmp_path, MADE_UP, changed(ours=factor)) == code

    def test_faster_code(self, tmp_path, capsys):
        assert compare_files(tmp_path, MADE_UP, changed(ours=0.5)) == 0
        assert "faster  CFR iteration, Leduc: 0.50 times the cost" in capsys.readouterr().out

    def test_our_own_code_is_no_yardstick(self):
        """If CFR becomes twice as fast, GMD counts as unchanged, although relative to CFR it costs twice as much."""
        found = comparison.compare(with_results(CFR, GMD), with_results(CFR, replace(GMD, theirs=GMD.theirs / 2)))
        assert [change.factor for change in found.changes] == pytest.approx([1.0, 1.0])

    def test_engines_of_other_versions_are_no_yardstick(self):
        other = with_results(replace(CFR, theirs=CFR.theirs * 9), versions=MADE_UP.versions | {"open_spiel": "3"})
        found = comparison.compare(with_results(CFR), other)
        assert not found.is_normalised
        assert [change.factor for change in found.changes] == pytest.approx([1.0])
        assert "plain seconds" in comparison.report(found)

    def test_several_engines_are_one_yardstick(self):
        now = with_results(replace(CFR, theirs=CFR.theirs * 2), replace(PYTHON_CFR, theirs=PYTHON_CFR.theirs * 4))
        (change,) = comparison.compare(with_results(CFR, PYTHON_CFR), now).changes
        assert change.yardstick == pytest.approx(3.0)

    def test_what_only_one_run_has_is_said(self, tmp_path, capsys):
        assert compare_files(tmp_path, with_results(CFR, GMD), with_results(CFR, START)) == 0
        shown = capsys.readouterr().out
        assert "measured only before: GMD iteration, Leduc\n" in shown
        assert "measured only now: import gamebench\n" in shown

    def test_results_without_a_group_that_came_later(self, tmp_path, capsys):
        """Whichever of the two lacks it, what both have is compared."""
        old, new = replace(with_results(CFR), groups=("solving",)), with_results(CFR, PCFR, OWN_PCFR)
        for before, now, where in ((old, new, "now"), (new, old, "before")):
            assert compare_files(tmp_path, before, now) == 0
            assert capsys.readouterr().out == (
                f"measured only {where}: PCFR+{BEST}, Leduc; own PCFR+{BEST}, Leduc\n"
                "Of 1 times nothing became slower by more than 20%.\n"
            )

    def test_nothing_in_common(self, tmp_path, capsys):
        assert compare_files(tmp_path, with_results(CFR), with_results(START)) == 2
        assert capsys.readouterr().err == "Error: The two runs have nothing in common that could be compared.\n"

    def test_a_file_that_is_none(self, tmp_path, capsys):
        text = record.as_json(MADE_UP)
        good, bad = tmp_path / "good.json", tmp_path / "bad.json"
        good.write_text(text)
        for content, says in {
            None: "cannot be read: No such file or directory",
            b"": "damaged",
            b"\xff\xfe\xff": "damaged",
            b"[]": "not in the format",
            b'{"date": "2026-11-16", "results": []}': "not in the format",
            json.dumps({"format": record.FORMAT}).encode(): "damaged",
            text.replace('"theirs": 0.012', '"theirs": 0').encode(): "damaged",
            text.replace('"theirs": 0.012', '"theirs": "no"').encode(): "damaged",
            text.replace("OpenSpiel C++", "Nobody").encode(): "damaged",
            text[:-100].encode(): "damaged",
        }.items():
            if content is not None:
                bad.write_bytes(content)
            assert main(["compare", str(good), str(bad)]) == 2
            error = capsys.readouterr().err
            assert says in error
            assert str(bad) in error
            assert error.count("\n") == 1


class TestPublishing:
    @pytest.fixture
    def docs(self, tmp_path, monkeypatch):
        folder = tmp_path / "docs"
        (folder / "bench").mkdir(parents=True)
        (folder / "benchmarks.md").write_text("Words.\n<!-- engines -->\n<!-- /engines -->\n")
        monkeypatch.setattr(pages, "DOCS", folder)
        monkeypatch.setattr(pages, "PUBLISHED", folder / "bench" / "results.json")
        return folder

    def test_the_table_the_numbers_and_the_figure_are_written(self, tmp_path, docs, capsys):
        source = record.save(MADE_UP, tmp_path)
        assert main(["publish", str(source)]) == 0
        assert str(source) in capsys.readouterr().out
        text = (docs / "benchmarks.md").read_text()
        assert text.startswith("Words.\n")
        assert "| CFR iteration | Leduc | 50 us | 12 ms, 240 x (at least 100) | 250 ms, 5,000 x |  |" in text
        assert record.read(pages.PUBLISHED) == MADE_UP
        picture = (docs / "bench" / "scaling.svg").read_text()
        assert "CFR: slope 1.000" in picture
        assert "histories" in picture

    def test_the_results_of_a_part_are_not_published(self, tmp_path, docs, capsys):
        source = record.save(replace(MADE_UP, groups=tuple(GROUPS)[2:]), tmp_path)
        assert main(["publish", str(source)]) == 2
        missing = ", ".join(list(GROUPS)[:2])
        assert capsys.readouterr().err == f"Error: These results lack {missing}; `make bench` makes complete ones.\n"
        assert not pages.PUBLISHED.exists()

    def test_a_row_for_each_measurement(self):
        missed, other = replace(PCFR, ours=60e-6), replace(PYTHON_CFR, same=False)
        cpp = replace(POINTS[0], series="CFR, C++", seconds=29e-6, ours=False)
        found = with_results(other, missed, MEMORY, points=(POINTS[0], cpp))
        assert list(tables.rows(found))[1:] == [
            (CFR.what, "Leduc", "50 us", "OpenSpiel Python: cfr.CFRSolver", "250 ms", "5,000 x faster \u2020", ""),
            (PCFR.what, "Leduc", "60 us", f"GameBench: {PCFR.other}", "30 us", "2 x its cost", "at most 1.35, MISSED"),
            ("growth of memory", "Kuhn", "0 MiB", "promised", "1 MiB", "0 of it", "at most 1"),
            ("CFR iteration, scaling", "game 58", "0.29 us", "C++", "29 us", "100 x faster", ""),
        ]
        assert list(tables.rows(MADE_UP))[-1][:3] == ("CFR iteration, scaling", "slope", "1.000")
        assert next(tables.remarks(MADE_UP)) == "CFR iteration, Leduc, OpenSpiel C++: the same NashConv"
        known = dict(tables.provenance(MADE_UP))
        assert known["versions"] == "GameBench 0.1.0, OpenSpiel 2.0.2, LiteEFG 1.0.0, Python 3.11.7"
        assert known["machine"] == "A processor, 2 cores, Linux, x86_64"
        assert known["time taken by other virtual machines"] == "solving 25%"
        quiet = dict(tables.provenance(replace(MADE_UP, stolen={"solving": 0.001})))
        assert quiet["time taken by other virtual machines"] == "none"

    def test_the_tables_of_the_page(self):
        missed = replace(CFR, ours=1e-3, engine=Engine.LITE_EFG, other="baselines.CFR", same=False)
        cpp = replace(POINTS[0], series="CFR, C++", seconds=29e-6, ours=False)
        found = with_results(CFR, PYTHON_CFR, replace(missed, game="Kuhn"), GMD, MEMORY, points=(*POINTS, cpp))
        assert list(tables.side_by_side(found)) == [
            ("task", "game", "GameBench", "OpenSpiel C++", "OpenSpiel Python", "LiteEFG"),
            ("CFR iteration", "Leduc", "50 us", "12 ms, 240 x (at least 100)", "250 ms, 5,000 x", ""),
            ("CFR iteration", "Kuhn", "1 ms", "", "", "12 ms, 12 x \u2020 (at least 100) MISSED"),
        ]
        assert list(tables.functions(found))[1:] == [
            ("CFR iteration", "`pyspiel.CFRSolver`", "`cfr.CFRSolver`", "`baselines.CFR`"),
        ]
        assert list(tables.costs(found))[1:] == [
            (GMD.what, "Leduc", "130 us", "CFR iteration", "40 us", "3.25 x (at most 3.5)"),
            (MEMORY.what, "Kuhn", "0 MiB", "promised", "1 MiB", "0 x (at most 1)"),
        ]
        head, first, *_, last = tables.growth(found)
        assert head == ("game", "histories", "CFR", "CFR, C++")
        assert first == ("game 58", "58", "0.29 us", "29 us, 100 x")
        assert last == ("slope", "", "1.000", "")

    def test_the_tables_of_the_page_have_every_number_of_the_record(self):
        published = record.read(pages.PUBLISHED)
        tabled = [*tables.side_by_side(published), *tables.costs(published)]
        cells = {(row[0], row[1], cell) for row in tabled for cell in row[2:]}
        for row in list(tables.rows(published))[1 : len(published.results) + 1]:
            theirs, ratio = row[4], row[5].removesuffix(" faster")
            near = [cell for what, game, cell in cells if (what, game) == row[:2] and cell.startswith(theirs)]
            assert (*row[:2], row[2]) in cells
            assert any(cell == theirs or ratio.split()[0] in cell for cell in near)

    def test_the_shipped_figure_is_what_its_numbers_say(self):
        picture = pages.PUBLISHED.with_name("scaling.svg").read_text()
        for series, law in fits(record.read(pages.PUBLISHED).points).items():
            assert f"{series}: slope {law.slope:.3f}" in picture

    def test_the_shipped_scaling_goes_from_small_to_large(self):
        points = [point for point in record.read(pages.PUBLISHED).points if point.series == "CMD"]
        assert min(point.histories for point in points) == 58
        assert max(point.histories for point in points) == 1_831_601


class TestFitting:
    @pytest.mark.parametrize("slope", [0.5, 1.0, 1.37])
    def test_an_exact_power_law(self, slope):
        x = [58, 617, 9457, 294_883, 1_831_601]
        law = fit(x, [3e-9 * one**slope for one in x])
        assert law.slope == pytest.approx(slope, abs=1e-12)
        assert law.factor == pytest.approx(3e-9, rel=1e-10)
        assert law.at(1000) == pytest.approx(3e-9 * 1000**slope, rel=1e-12)

    def test_least_squares(self):
        law = fit([1, 10, 100], [1, 10, 10_000])  # in decades 0, 1, 4 over 0, 1, 2
        assert law.slope == pytest.approx(2.0, abs=1e-12)
        assert law.factor == pytest.approx(10 ** (-1 / 3), rel=1e-12)

    def test_one_size_has_no_slope(self):
        assert fits([POINTS[0], replace(POINTS[0], game="another")]) == {}


class TestRunning:
    def test_a_bad_name_is_answered_with_near_ones(self, capsys):
        assert main(["--only", "solving", "scalling"]) == 2
        error = capsys.readouterr().err
        assert error.startswith("Error: There is no group of benchmarks called 'scalling'; did you mean 'scaling'")
        assert error.count("\n") == 1
        with pytest.raises(UnknownNameError):
            chosen(["nonsense"])

    def test_groups_are_modules(self):
        assert chosen(None) == list(GROUPS)
        assert chosen(["scaling", "solving"]) == ["solving", "scaling"]
        for name in GROUPS:
            assert (Path(tables.__file__).parent / f"{name}.py").exists()

    def test_help_lists_the_groups(self, capsys):
        with pytest.raises(SystemExit) as stopped:
            main(["--help"])
        assert stopped.value.code == 0
        shown = capsys.readouterr().out
        assert all(name in shown for name in (*GROUPS, "publish", "compare", "--only"))

    def test_what_was_found_before_a_failure_is_saved(self, tmp_path, monkeypatch, capsys):
        def failing(name):
            yield CFR
            raise RuntimeError("no more")

        monkeypatch.setattr("benchmarks.commands.findings", failing)
        with pytest.raises(RuntimeError, match="no more"):
            main(["--only", "solving", "--out", str(tmp_path)])
        (path,) = tmp_path.glob("*.json")
        assert record.read(path).results == (CFR,)
        assert record.read(path).groups == ()

    def test_engines_that_differ_are_told(self):
        assert Agreement("NashConv", 1.0, 1.0 + 1e-12).same
        different = Agreement("NashConv", 1.0, 1.0 + 1e-6)
        assert not different.same
        assert "NOT THE SAME" in str(different)
        game = gb.load_game("kuhn_poker")
        (check,) = compare_solvers(OurSolver(game, gb.algorithms.CFR()), [RegretSolver(game, CPP["CFR+"])], 5)
        assert not check.same

    def test_rounding_is_not_taken_for_a_difference(self):
        """In four-player Kuhn a regret is 0 after one iteration, which OpenSpiel rounds; with three players none is."""
        for players, expected in ((4, "after 1 iteration (rounding decides the next)"), (3, "after 5 iterations")):
            game = gb.load_game(f"kuhn_poker(players={players})")
            ours, theirs = OurSolver(game, gb.algorithms.CFR()), RegretSolver(game, CPP["CFR"])
            (check,) = compare_solvers(ours, [theirs], 5)
            assert check.what == f"NashConv {expected}"
            assert check.ours == pytest.approx(check.theirs, rel=1e-12)

    def test_timing_counts_iterations(self, monkeypatch):
        """With a simulated clock, which only the runs advance."""
        clock = {"now": 0.0}
        monkeypatch.setattr("benchmarks.timing.time.perf_counter", lambda: 3 * clock["now"])  # a shared core
        monkeypatch.setattr("benchmarks.timing.time.process_time", lambda: clock["now"])

        def costing(seconds):
            def run(count):
                clock["now"] += seconds * count

            return run

        for clocked in (in_turns, best_in_turns):
            found = clocked([costing(1e-5), costing(0.5), costing(20.0)], [10, 1, 1])
            assert found == pytest.approx([1e-5, 0.5, 20.0])

    def test_the_median_or_the_best(self, monkeypatch):
        clock = {"now": 0.0}
        monkeypatch.setattr("benchmarks.timing.time.perf_counter", lambda: clock["now"])
        monkeypatch.setattr("benchmarks.timing.time.process_time", lambda: clock["now"])
        costs = cycle([0.3, 0.1, 0.2])

        def run(count):
            clock["now"] += next(costs)

        assert in_turns([run]) == pytest.approx([0.2])
        assert best_in_turns([run]) == pytest.approx([0.1])

    @pytest.fixture
    def hasty(self, monkeypatch):
        for name, value in {"REPEATS": 1, "MANY": 1, "AT_LEAST": 1e-4, "BRIEF": 1e-4}.items():
            monkeypatch.setattr(f"benchmarks.timing.{name}", value)

    @pytest.mark.usefixtures("hasty")
    def test_scaling_for_real(self):
        found = list(scaling.results(["kuhn_poker(players=2)", "kuhn_poker(players=3)"]))
        assert {point.histories for point in found} == {58, 617}
        assert {point.series for point in found} == {"CFR", "MMD-KL", "CMD", scaling.CPP_SERIES}
        assert all(point.seconds > 0 and point.holds for point in found)
        assert all(re.search("the same$", point.note) for point in found if not point.ours)

    @pytest.mark.usefixtures("hasty")
    def test_solving_for_real(self):
        found = list(solving.results(["kuhn_poker"]))
        assert {result.what for result in found} >= {"CFR iteration", "CFR+ iteration"}
        assert {Engine.PYTHON, Engine.CPP} <= {result.engine for result in found}
        assert all(result.within_limits and result.note.endswith("the same") for result in found)

    @pytest.mark.usefixtures("hasty")
    def test_variants_for_real(self):
        found = list(variants.results(["kuhn_poker"]))
        promises = {result.what: result.target for result in found if result.engine is Engine.OURSELVES}
        of_cfr = {
            name for name, algorithm in gb.algorithms.ALGORITHMS.items() if isinstance(algorithm(), gb.algorithms.CFR)
        }
        others = {"RTCFR+", "DOMWU", "DOGDA", "own PCFR+", variants.CRD}
        assert {what.removesuffix(BEST) for what in promises} == (of_cfr | others) - {"CFR+", "CRD"}
        assert {what.removesuffix(BEST) for what in promises if promises[what] is None} == {"CFR", "DOMWU", "DOGDA"}
        assert promises[f"own PCFR+{BEST}"] == 1.5
        assert promises[f"{variants.CRD}{BEST}"] == 1.3
        solvers = {result.other for result in found if result.engine is Engine.PYTHON}
        assert solvers == {"discounted_cfr.LCFRSolver", "discounted_cfr.DCFRSolver"}
        for result in found:
            if result.engine is not Engine.OURSELVES or result.what == f"own PCFR+{BEST}":
                assert result.within_limits
                assert result.note.endswith("the same")

    @pytest.mark.usefixtures("hasty")
    def test_measuring_and_mmd_for_real(self):
        for result in (*measuring.results(["Kuhn"]), *magnetic.results(["kuhn_poker"])):
            assert result.within_limits, result.note
            assert result.same == (result.other != "mmd_dilated.MMDDilatedEnt")

    @pytest.mark.usefixtures("hasty")
    def test_lite_efg_need_not_be_installed(self, monkeypatch, capsys):
        monkeypatch.setattr(lite_efg, "find_spec", lambda name: None)
        lite_efg.is_installed.cache_clear()
        groups = [group.results(["kuhn_poker"]) for group in (solving, variants, measuring, magnetic)]
        found = {result.engine for group in groups for result in group}
        lite_efg.is_installed.cache_clear()
        assert found == {Engine.PYTHON, Engine.CPP, Engine.OURSELVES}
        assert capsys.readouterr().err == 'LiteEFG is not compared with: pip install "gamebench[bench]"\n'
