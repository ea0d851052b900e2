"""Specs: parsing, error messages, and YAML as nothing but data."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.experiments import yaml_data
from gamebench.experiments.spec import MAX_RUNS, AlgorithmSpec, RunSpec, SweepSpec
from gamebench.experiments.sweeps import read_sweep
from gamebench.experiments.yaml_data import assignments, override, parse_yaml, read_yaml
from tests.helpers import refuses

WELL = {"games": "Kuhn", "algorithms": "CMD"}

names = st.text(min_size=1, max_size=20)
counts = st.integers(0, 2**63 - 1)
scalars = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
values = scalars | names | st.lists(scalars, max_size=3)
grids = st.dictionaries(names, scalars | st.lists(values, min_size=1, max_size=3))
run_specs = st.fixed_dictionaries(
    {"game": names},
    optional={
        "teams": st.lists(st.lists(counts, max_size=3), max_size=3),
        "focal": counts,
        "payoff_scale": st.floats(0, 1e308, exclude_min=True) | st.integers(1, 10**30),
        "coordinated": st.booleans(),
        "max_beliefs": st.none() | st.integers(1, 10**9),
        "algorithm": names,
        "hyperparameters": st.dictionaries(names, values, max_size=4),
        "iterations": counts,
        "seed": counts,
        "measures": st.lists(names, max_size=3),
        "checkpoints": st.integers(1, 10**6) | st.lists(counts, max_size=4),
    },
)


@settings(max_examples=40)
@given(run_specs)
def test_a_run_goes_through_json_and_back(data):
    spec = RunSpec.parse(data)
    assert RunSpec.parse(json.loads(spec.model_dump_json())) == spec
    assert RunSpec.parse(spec.model_dump()) == spec


@settings(max_examples=50)
@given(
    st.fixed_dictionaries(
        {
            "games": st.lists(names | st.fixed_dictionaries({"game": names, "focal": counts}), min_size=1, max_size=3),
            "algorithms": st.lists(
                names | st.fixed_dictionaries({"algorithm": names, "set": grids}),
                min_size=1,
                max_size=3,
            ),
            "seeds": st.integers(1, 5) | st.lists(counts, min_size=1, max_size=4),
        }
    )
)
def test_a_sweep_goes_through_json_and_back_and_is_a_product(data):
    spec = SweepSpec.parse(data)
    assert SweepSpec.parse(json.loads(spec.model_dump_json())) == spec
    combinations = 0
    for algorithm in data["algorithms"]:
        size = 1
        for value in algorithm["set"].values() if isinstance(algorithm, dict) else ():
            size *= len(value) if isinstance(value, list) else 1
        combinations += size
    seeds = data["seeds"] if isinstance(data["seeds"], int) else len(data["seeds"])
    assert len(list(spec.runs())) == len(data["games"]) * combinations * seeds


def test_the_runs_of_a_sweep_in_the_order_of_the_file():
    spec = SweepSpec.parse(
        {
            "games": ["Kuhn", {"game": "leduc_poker", "teams": [[0], [1]]}],
            "algorithms": ["CFR", {"algorithm": "GMD", "set": {"history": [1, 3], "convex": "x^2"}}],
            "seeds": [4, 7],
            "iterations": 50,
            "measures": "NashConv",
            "checkpoints": 10,
        }
    )
    runs = list(spec.runs())
    assert [(run.game, run.algorithm, run.hyperparameters, run.seed) for run in runs[:6]] == [
        ("Kuhn", "CFR", {}, 4),
        ("Kuhn", "CFR", {}, 7),
        ("Kuhn", "GMD", {"history": 1, "convex": "x^2"}, 4),
        ("Kuhn", "GMD", {"history": 1, "convex": "x^2"}, 7),
        ("Kuhn", "GMD", {"history": 3, "convex": "x^2"}, 4),
        ("Kuhn", "GMD", {"history": 3, "convex": "x^2"}, 7),
    ]
    assert {(run.iterations, run.measures, run.checkpoints) for run in runs} == {(50, ("NashConv",), 10)}
    assert {run.teams for run in runs[6:]} == {((0,), (1,))}


def test_a_list_in_a_grid_is_tried_and_a_list_of_lists_holds_lists():
    grid = AlgorithmSpec.parse({"algorithm": "CMD", "set": {"radius_range": [[0.01, 0.05], [0.1, 0.2]]}}).grid()
    assert [chosen["radius_range"] for chosen in grid] == [(0.01, 0.05), (0.1, 0.2)]


def said(call, *arguments):
    """The error message for a spec."""
    with pytest.raises(gb.errors.SpecError) as error:
        call(*arguments)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500
    return str(error.value)


def test_wrong_values_are_named():
    scales = (0, -1, "10", True, None, [1, 10], float("inf"), float("nan"), 10**400)
    wrong_games = [
        *(("payoff_scale", scale, "must be a finite number above 0") for scale in scales),
        *(("coordinated", value, "must be true or false, not ") for value in ("yes", 1, None, [True])),
        ("max_beliefs", 0, "must be at least 1, not 0."),
        ("max_beliefs", 1e6, "must be a whole number, not 1000000.0."),
        ("teams", 3, "must be a list, not 3."),
        ("game", "", "must not be empty"),
    ]
    wrong_settings = [
        ({"history": {"a": 1}}, "must be a number, a string, true, false or a list of these, not {'a': 1}."),
        ({"radius": [float("inf")]}, "must be finite"),
        ({"history": []}, "must have at least one value, not []."),
    ]
    seeds = "must be the number of seeds, from 1 to 1,000,000, or a list such as [0, 1, 2], not "
    for change, message in [
        ({"iteratons": 3}, "There is no key called 'iteratons'; did you mean 'iterations' or 'iterates'?"),
        ({"algorithms": [{"algorithm": "CMD", "sett": {}}]}, "There is no key called 'sett'; did you mean 'set'?"),
        ({"games": [{"game": "Kuhn", "team": []}]}, "There is no key called 'team'; did you mean 'teams'"),
        ({"games": {"game": "Kuhn", "coordinate": True}}, "no key called 'coordinate'; did you mean 'coordinated'?"),
        ({"games": [{"gmae": "Kuhn"}]}, "There is no key called 'gmae'; did you mean 'game'"),
        *(({"seeds": value}, f"'seeds' {seeds}{value!r}.") for value in (0, True, [1, "a"], 99999999999, "0-99999")),
        ({"games": ["Kuhn", 3]}, "'games.1' must be a name or a mapping, not 3."),
        ({"games": []}, "'games' must name at least one"),
        ({"games": {"game": "Kuhn", "teams": [[0, "a"]]}}, "'games.0.teams.0.1' must be a whole number, not 'a'."),
        *(({"games": {"game": "Kuhn", key: value}}, f"'games.0.{key}' {rest}") for key, value, rest in wrong_games),
        *(({"iterations": value}, f"must be a whole number, not {value!r}.") for value in ("x", 2.0, True)),
        ({"iterations": -1}, "'iterations' must be at least 0, not -1."),
        ({"iterations": 2**64}, "'iterations' must be below 9223372036854775808"),
        ({"checkpoints": "a"}, "'checkpoints' must be a whole number of at least 1, or a list of iterations, not 'a'."),
        ({"checkpoints": 0}, "'checkpoints' must be a whole number of at least 1"),
        ({"measures": [3]}, "'measures.0' must be a string, not 3."),
        *(({"algorithms": [{"algorithm": "CMD", "set": chosen}]}, rest) for chosen, rest in wrong_settings),
        ({"algorithms": [{"algorithm": "CMD", "set": 3}]}, "must be a mapping of names to values, not 3."),
        ({"title": 3}, "'title' must be a string, not 3."),
    ]:
        sentence = said(SweepSpec.parse, {**WELL, **change})
        assert sentence.startswith("A sweep cannot be read: "), change
        assert message in sentence, change


def test_what_is_missing_and_what_is_no_mapping():
    refuses(gb.errors.SpecError, r"A sweep cannot be read: 'games' is missing\.", SweepSpec.parse, {})
    refuses(
        gb.errors.SpecError,
        r"A sweep must be a mapping with the keys title, games, .*, not \[1\]\.",
        SweepSpec.parse,
        [1],
    )
    refuses(gb.errors.SpecError, r"A run cannot be read: 'game' is missing\.", RunSpec.parse, {})


def test_a_grid_beyond_reason_is_refused_before_it_is_made():
    many = list(range(2000))
    spec = SweepSpec.parse({"games": "Kuhn", "algorithms": {"algorithm": "CMD", "set": {"a": many, "b": many}}})
    assert f"4,000,000 runs, more than the {MAX_RUNS:,}" in said(list, spec.runs())
    grid = {"algorithm": "CMD", "set": {f"setting {number}": list(range(10)) for number in range(30)}}
    assert f"{10**30:,} runs" in said(list, SweepSpec.parse({**WELL, "algorithms": [grid]}).runs())


def test_numbers_and_words_are_read_as_people_write_them():
    text = (
        "a: 1e-3\nb: no\nc: [1, 2.5, -3, .5, 1e5, 010, x^2, -ln x]\nd: ~\ne:\nf: true\ng: '1'\nh: 2024-01-01\ni: 1:30"
    )
    numbers = [1, 2.5, -3, 0.5, 100000.0, 10, "x^2", "-ln x"]
    expected = {"a": 0.001, "b": "no", "c": numbers, "d": None, "e": None, "f": True, "g": "1"}
    assert parse_yaml(text, "it") == expected | {"h": "2024-01-01", "i": "1:30"}


def test_yaml_cannot_run_code(tmp_path):
    path = tmp_path / "sweep.yaml"
    for tag in (
        "!!python/object/apply:os.system ['touch {}']",
        "!!python/name:os.system",
        "!!python/module:os",
        "!x {}",
    ):
        path.write_text(f"games: {tag.format(tmp_path / 'run')}\nalgorithms: CMD\n")
        sentence = said(read_sweep, path)
        assert "cannot be read as YAML: line 1, column 8: could not determine a constructor for the tag" in sentence
    assert sorted(tmp_path.iterdir()) == [path]


def test_unreadable_files(tmp_path):
    path = tmp_path / "sweep.yaml"
    for content, message in [
        (b"games: [Kuhn\n", "line 2, column 1: expected ',' or ']'"),
        (b"games: Kuhn\ngames: Leduc\n", "line 2, column 1: the key 'games' is repeated"),
        (b"\xff\xfe\x00", "its name or its content is not text"),
        (b"- a\n- b\n", "it must be a mapping with the keys games, algorithms and so on"),
        (b"", "it must be a mapping with the keys games, algorithms and so on"),
        (b"? {a: b}\n: c\n", "line 1, column 3: found unhashable key"),
        (b"[" * 200, "line 1, column 51: lists and mappings are nested more than 50 deep"),
    ]:
        path.write_bytes(content)
        assert message in said(read_sweep, path)


def test_missing_files(tmp_path):
    refuses(gb.errors.SpecError, r"There is no file '.*none\.yaml'", read_sweep, tmp_path / "none.yaml")
    refuses(gb.errors.SpecError, r"cannot be read: Is a directory\.", read_yaml, tmp_path)


def test_overrides():
    data = {"algorithms": [{"algorithm": "CMD", "set": {"history": 1}}], "iterations": 10}
    changed = override(data, ["iterations=50", "algorithms.0.set.history=[1, 3]", "algorithms.0.set.convex=x^2"])
    assert changed == {
        "algorithms": [{"algorithm": "CMD", "set": {"history": [1, 3], "convex": "x^2"}}],
        "iterations": 50,
    }
    assert data["iterations"] == 10
    assert override({}, ["games=[Kuhn, Leduc]"]) == {"games": ["Kuhn", "Leduc"]}
    assert assignments(["radius = 1e-2"]) == {"radius": 0.01}


def test_overrides_that_lead_nowhere():
    for text, message in [
        ("iterations", "'iterations' must have the form key=value"),
        ("iterations=", "'iterations=' must have the form key=value"),
        ("=3", "'=3' must have the form key=value"),
        ("algorithms.5.set=3", "'algorithms.5.set' does not exist"),
        ("iterations.x=3", "'iterations.x' does not exist"),
        ("iterations=[", "The value of 'iterations' cannot be read as YAML"),
    ]:
        assert message in said(override, {"algorithms": ["CMD"], "iterations": 3}, [text])


def test_hyper_parameters_are_set_once():
    assert assignments(["history=3", "convex=x^2"]) == {"history": 3, "convex": "x^2"}
    refuses(gb.errors.SpecError, "'history' is set twice, to 3 and to 4", assignments, ["history=3", "history=4"])


def test_a_bomb_of_lists_does_not_go_off():
    """Each list holds the previous one ten times: ten billion strings when expanded."""
    bomb = "x"
    for _ in range(10):
        bomb = [bomb] * 10
    for change in ({"games": bomb}, {"seeds": bomb}, {"iterations": bomb}, {"algorithms": {"algorithm": bomb}}):
        assert "must" in said(SweepSpec.parse, {**WELL, **change})


def bomb(first, more, last=""):
    """Each line refers to the previous one ten times."""
    lines = [f"- &a{i} " + more % ", ".join([f"*a{i - 1}"] * 10) for i in range(1, 11)]
    return "\n".join(["- &a0 " + first, *lines, last])


def test_small_texts_that_stand_for_something_huge(monkeypatch):
    monkeypatch.setattr(yaml_data, "MAX_VALUES", 2_000)
    chain = "- &a0 [x]\n" + "".join(f"- &a{i} [*a{i - 1}]\n" for i in range(1, 500))
    many = "there are more than 2,000 values, with aliases expanded"
    for text, message in [
        (bomb("x", "[%s]"), f"line 5, column 8: {many}"),
        (bomb("[x]", "[%s]", "- ? *a10\n  : x"), many),
        (bomb("{x: 1}", "{<<: [%s]}"), many),
        (bomb("{x: 1}", "{!!merge '<<': [%s]}"), many),
        (chain, many),
        ("[" + "1," * 3_000 + "]", many),
        (f"[&a {'x' * 50_000}, {{x: [{'*a, ' * 900}], x: 1}}]", ": the key 'x' is repeated"),
        ("&a [*a]", "line 1, column 5: this value contains itself"),
        ("&a {<<: *a}", "this value contains itself"),
        ("[" * 50_000, "nested more than 50 deep"),
        ("- " * 40_000, "nested more than 50 deep"),
        ("x" * 300_000, "it has more than the 200,000 characters"),
        ("1" * 5000, "line 1, column 1: a number of 5,000 digits is too large"),
        ("0x" + "f" * 5000, "line 1, column 1: a number of 5,002 digits is too large"),
        ("*" + "x" * 5000, "line 1, column 1: found undefined alias"),
    ]:
        assert message in said(parse_yaml, text, "it"), text[:60]


def test_a_file_is_read_no_further_than_it_may_be_long(tmp_path):
    (tmp_path / "endless.yaml").symlink_to("/dev/zero")
    refuses(gb.errors.SpecError, "more than the 200,000 characters", read_yaml, tmp_path / "endless.yaml")


def test_anchors_aliases_and_merges_of_a_size_that_people_write():
    text = "usual: &usual {history: 3, radius: 0.1}\nmine: {<<: *usual, radius: 0.2}\nboth: [*usual, *usual]"
    usual = {"history": 3, "radius": 0.1}
    assert parse_yaml(text, "it") == {"usual": usual, "mine": {"history": 3, "radius": 0.2}, "both": [usual, usual]}


NO_PLAIN_DATA = """!!bool x | !!bool | !!float '' | !!float 1:30 | !!int '' | !!int x | !!timestamp [] | !!binary x
!!binary eA== | !!set {a} | !!omap [a: 1] | !!pairs [a: 1] | !own x | !!merge x | !!merge << | !!value = | !!seq x
!!map x | !!str [] | !!seq {} | !!map [] | !<x> y | {{a: 1}: 1} | *a | \x00 | \ud800 | 1: [ | {<<: 1} | {<<: [1]}"""


def test_what_is_not_plain_data_is_refused_wherever_it_stands(tmp_path):
    for text in ["--- 1\n--- 2", *NO_PLAIN_DATA.replace("\n", " | ").split(" | ")]:
        content = f"games: {text}\nalgorithms: CMD"
        (tmp_path / "sweep.yaml").write_text(content, encoding="utf-8", errors="surrogatepass")
        said(parse_yaml, text, "it")
        said(assignments, [f"history={text}"])
        said(override, {}, [f"games={text}"])
        said(read_sweep, tmp_path / "sweep.yaml")


def test_tags_of_plain_data_are_understood():
    for text, value in [("!!str 3", "3"), ("!!int '3'", 3), ("!!float 3", 3.0), ("!!bool TRUE", True)]:
        found = parse_yaml(text, "it")
        assert (found, type(found)) == (value, type(value))


def test_numbers_of_numpy_become_pythons():
    sweep = SweepSpec.parse({**WELL, "seeds": [np.int64(3)], "checkpoints": [np.int64(2)]})
    assert [type(number) for number in (*sweep.seeds, *sweep.checkpoints)] == [int, int]
    assert next(sweep.runs()).model_dump_json()
