"""The panels of a figure, and the tracks in them."""

from dataclasses import asdict

import gamebench as gb
from gamebench.report.charts import FLOOR_LABEL, Chart, chart_of, floor_of
from gamebench.report.figures import draw, looks_of
from gamebench.report.page.payload import payload_of
from gamebench.report.plot import chart_of_contests, chart_of_main_measures
from gamebench.report.selection import select
from gamebench.report.styles import GREY, KNOWN, styles
from gamebench.report.tracks import Results
from tests.report.made_up_runs import made_up

FALLING, RISING = [1, 0.5, 0.25, 0.125], [1, 2, 3, 4]


def panels(chart):
    return [(panel.title, panel.y_label, [track.method for track in panel.tracks]) for panel in chart.panels]


def test_panels_stand_in_the_order_of_the_catalogue_and_the_main_measure_first():
    """A run with another main measure is shown if it has the game's: one panel never mixes two measures."""
    welfare = {"measure": "SocialWelfare", "more": {"NashConv": FALLING}}
    results = Results(
        [
            made_up("mine", "B", FALLING),
            made_up("Leduc", "A", FALLING),
            made_up("Kuhn", "B", FALLING, more={"SocialWelfare": RISING}),
            made_up("Kuhn", "A", FALLING, seed=0),
            made_up("Kuhn", "A", RISING, seed=1, measure="SocialWelfare"),  # which does not hide the other seed
            made_up("Kuhn", "C", RISING, measure="SocialWelfare"),
            made_up("Kuhn", "D", RISING, **welfare),
        ]
    )
    main = [("Kuhn", "NashConv", ["B", "A", "D"]), ("Leduc", "NashConv", ["A"]), ("mine", "NashConv", ["B"])]
    assert panels(chart_of_main_measures(results)) == main
    assert panels(chart_of(results)) == [main[0], ("Kuhn", "SocialWelfare", ["B", "A", "C", "D"]), *main[1:]]
    tracks = chart_of_main_measures(results).panels[0].tracks
    assert [track.values.tolist() for track in tracks] == [[FALLING]] * 3


def test_runs_that_measure_nothing_have_no_line_and_do_not_choose_the_measure():
    results = Results([made_up("Kuhn", "A"), made_up("Kuhn", "B", [1, 2, 3, 4], measure="SocialWelfare")])
    assert panels(chart_of_main_measures(results)) == [("Kuhn", "SocialWelfare", ["B"])]
    nothing = chart_of_main_measures(Results([made_up("Kuhn", "A")]))
    assert panels(nothing) == [("Kuhn", "NashConv", [])]
    assert nothing.table().empty
    assert chart_of_main_measures(Results([])).panels == ()


def test_the_table_has_a_row_for_each_point_of_each_run():
    chart = chart_of_main_measures(Results(made_up("Kuhn", "CMD", FALLING, seed) for seed in (0, 5)))
    table = chart.table()
    assert list(table) == ["panel", "measure", "method", "about", "seed", "iterations", "value"]
    assert table["seed"].tolist() == [0] * 4 + [5] * 4
    assert table["iterations"].tolist() == [0, 1, 2, 4] * 2
    assert table["value"].tolist() == FALLING * 2
    by_time = Chart(chart.panels, x="seconds").table()
    assert (by_time.columns[5], by_time["seconds"].tolist()) == ("seconds", [0, 1, 2, 4] * 2)


def test_the_note_says_what_bands_are():
    one, two = (Results(made_up("Kuhn", "A", FALLING, seed) for seed in range(count)) for count in (1, 2))
    differ = [made_up("Kuhn", "A", FALLING, 0), made_up("Kuhn", "A", RISING, 1)]
    both = Results([*differ, made_up("Kuhn", "B", FALLING)])
    notes = [chart_of_main_measures(results).note for results in (one, Results(differ), two, both)]
    some = "Line and band: mean and range of 2 seeds; lines without a band are single runs, or seeds that agree."
    assert notes == ["", "Line and band: mean and range of 2 seeds.", some, some]


def test_a_panel_of_a_mixed_game_has_the_floor_of_independent_policies(tmp_path):
    """MCCKuhn-B's is above zero; by the paper's measure, or between coordinators, there is none."""
    assert [floor_of(game, "NashConv") for game in ("MCCKuhn-A", "MCCKuhn-B", "Kuhn", "kuhn_poker")] == [
        0.0,
        0.00141615,
        None,
        None,
    ]
    assert floor_of("MCCKuhn-B", "NashConv(approximate)") is None
    assert floor_of("MCCKuhn-B [coordinated]", "NashConv") is None
    results = Results([made_up("MCCKuhn-B", "CFR+", FALLING)])
    [panel] = chart_of(results).panels
    assert panel.floor == 0.00141615
    lines = [line for line in draw(chart_of(results)).axes[0].get_lines() if line.get_label() == FLOOR_LABEL]
    assert [set(line.get_ydata()) for line in lines] == [{0.00141615}]
    sweep = {"games": "MCCKuhn-B", "algorithms": "CFR+", "iterations": 1, "measures": ["SocialWelfare"]}
    [about] = payload_of(gb.sweep(sweep, tmp_path, executor="serial").store)["games"]
    assert about["least"] == 0.00141615


def test_eight_methods_have_eight_colours_and_keep_their_own():
    best = ["CMD", "MD", *(f"MMD-KL step_size={k}" for k in range(6))]
    looks = styles([*best, "CMD radius=1", "CFR"], best)
    assert len({looks[method].colour for method in best}) == 8
    assert GREY not in {looks[method].colour for method in best}  # which is for the rest
    assert (looks["CMD"], looks["CFR"]) == (KNOWN["CMD"], KNOWN["CFR"])
    assert "CMD radius=1" in looks


def test_methods_with_one_colour_of_their_own_are_told_apart():
    """PCFR+ and DCFR have the colours of MMD-KL and GMD, green and orange, if these are absent."""
    six = ["CMD", "GMD", "MMD-KL", "MMD-EU", "CFR", "CFR+"]
    looks = styles(["PCFR+", "DCFR", *six, "MD"])
    assert len({look.colour for look in looks.values()}) == 9
    assert all(looks[method] == KNOWN[method] for method in (*six, "MD"))
    assert (looks["PCFR+"].marker, looks["PCFR+"].dash) == (KNOWN["PCFR+"].marker, KNOWN["PCFR+"].dash)
    assert styles(["PCFR+", "CMD"])["PCFR+"] == KNOWN["PCFR+"]
    many = styles([*KNOWN, *(f"CMD radius={k}" for k in range(9)), *(f"mine [{k}]" for k in range(5))])
    assert len({*many.values()}) == len(many)


def test_folders_differ_in_their_dashes():
    looks = styles(["CMD [a]", "CMD [b]", "CFR", "mine [b]"])
    assert looks["CFR"] == KNOWN["CFR"]
    assert looks["CMD [a]"] == KNOWN["CMD"]
    assert (looks["CMD [b]"].colour, looks["CMD [b]"].dash) == (KNOWN["CMD"].colour, "dashed")
    assert looks["mine [b]"].dash == "dashed"


def test_a_figure_and_the_page_agree_on_styles(tmp_path):
    algorithms = ["PCFR+", "MMD-KL", "MD", {"algorithm": "GMD", "set": {"history": [1, 2, 3, 4, 5, 6]}}]
    outcome = gb.sweep({"games": "Kuhn-2", "algorithms": algorithms, "iterations": 4}, tmp_path, executor="serial")
    on_page = {about["name"]: about for about in payload_of(outcome.store)["methods"]}
    chart = chart_of_contests(select(outcome.store).contests)
    drawn = {label: look for label, look in looks_of(chart).items() if label not in chart.muted}
    assert len(drawn) == 8 < len(on_page)
    assert {look.colour for look in drawn.values()} == {on_page[label]["colour"] for label in drawn}
    assert all(asdict(look).items() <= on_page[label].items() for label, look in drawn.items())
