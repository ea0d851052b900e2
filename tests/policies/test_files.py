"""Policies in files: saved and exported policies, and objects in Python files."""

import json
from contextlib import suppress
from itertools import product

import pytest

import gamebench as gb
from gamebench.policies import as_policy
from tests.helpers import refuses

KUHN = gb.load_game("kuhn_poker")


def test_saved_policies_and_json(tmp_path):
    policy = gb.random_policy(KUHN, 1)
    policy.save(tmp_path / "policy.npz")
    table = {state: [list(pair) for pair in row] for state, row in policy.to_open_spiel().to_dict().items()}
    (tmp_path / "policy.json").write_text(json.dumps(table, default=float))
    for path in (tmp_path / "policy.npz", str(tmp_path / "policy.json"), tmp_path):
        assert as_policy(KUHN, path).probabilities.tolist() == policy.probabilities.tolist()
    refuses(gb.errors.PolicyMismatchError, "not for 'Kuhn'", gb.evaluate, "Kuhn", tmp_path / "policy.npz")


def test_files_that_hold_no_policy(tmp_path):
    for name, text, complaint in [
        ("policy.json", "{", "is not valid JSON"),
        ("policy.json", '{"a":' * 100_000, "is not valid JSON: it is nested too deeply"),
        ("policy.json", f'{{"0": {{"Bet": 1{"0" * 400}}}}}', "The probability of 'Bet' must be a number, not 1000"),
        ("policy.json", "{}", "has no probabilities at the information state '0'"),
        ("policy.json", '{"spec": {}, "policy": [], "fingerprint": "other"}', "not for 'kuhn_poker'"),
        ("policy.json", f'{{"spec": {{}}, "policy": [3], "fingerprint": "{KUHN.fingerprint}"}}', "is damaged"),
        ("curve.csv", "iteration,NashConv", "is a CSV table, such as a run's curve"),
        ("agents.py", "", "Add the name of the object that plays to"),
        ("policy.npz", "", "damaged or is not a GameBench file"),
    ]:
        (tmp_path / name).write_text(text)
        with pytest.raises(gb.errors.PolicyError) as caught:
            gb.evaluate(KUHN, str(tmp_path / name))
        assert complaint in str(caught.value)


def test_every_byte_of_a_damaged_file_is_noticed():
    """Irrelevant bytes of the container may change without harm."""
    policy = gb.random_policy(KUHN, 1)
    sound = policy.to_bytes()
    for position, flip in product(range(len(sound)), (0x01, 0x08, 0xFF)):
        damaged = sound[:position] + bytes([sound[position] ^ flip]) + sound[position + 1 :]
        with suppress(gb.errors.PolicyError):
            assert gb.Policy.from_bytes(damaged, KUHN, "policy.npz") == policy


def test_a_misspelt_uniform():
    for name in ["unifrom", "Uniform", "unif"]:
        with pytest.raises(
            gb.errors.PolicyError, match=f"There is no policy or file called '{name}'; did you mean 'uniform'"
        ):
            gb.evaluate(KUHN, name)


def test_a_missing_file_is_not_taken_for_a_name():
    with pytest.raises(gb.errors.PolicyError, match=r"The policy file 'uniform\.npz' cannot be read: No such file"):
        gb.evaluate(KUHN, "uniform.npz")
    with pytest.raises(gb.errors.PolicyError, match=r"The policy file 'elsewhere/x' cannot be read: No such file"):
        gb.evaluate(KUHN, "elsewhere/x")


def test_folders_that_are_no_runs(tmp_path):
    refuses(
        gb.errors.PolicyError,
        "contains no policy; a finished run keeps its policy in",
        gb.evaluate,
        KUHN,
        tmp_path,
    )
    (tmp_path / "runs").mkdir()
    with pytest.raises(gb.errors.PolicyError) as caught:
        gb.evaluate(KUHN, str(tmp_path))
    assert str(caught.value) == (
        f"'{tmp_path}' is a folder of results; give the path of one of its runs, {tmp_path}/runs/RUN_ID. "
        f"gamebench status {tmp_path} lists them."
    )


def test_objects_of_python_files(tmp_path, own_names):
    file = tmp_path / "agents.py"
    file.write_text("bet = 'uniform'\ndef pure(point): return 'Bet'\nclass Thing: ...\ntable = {0: pure, 1: bet}\n")
    assert gb.evaluate(KUHN, f"{file}:bet", "NashConv") == gb.evaluate(KUHN, "uniform", "NashConv")
    expected = gb.combine({0: lambda point: "Bet"}, KUHN, others="uniform")
    assert as_policy(KUHN, f"{file}:table").probabilities.tolist() == expected.probabilities.tolist()
    refuses(gb.errors.UnknownNameError, "did you mean 'pure'", gb.evaluate, KUHN, f"{file}:pur")
    with pytest.raises(gb.errors.PolicyError, match=r"is a class; name an instance, such as thing = Thing\(\)\."):
        gb.evaluate(KUHN, f"{file}:Thing")
    file.write_text(f"agent = {f'{file}:agent'!r}")
    refuses(gb.errors.PolicyError, "does one contain itself", gb.evaluate, KUHN, f"{file}:agent")
    file.write_text("def pure(point):\n    return\n  wrong")
    with pytest.raises(gb.errors.PluginError, match=r"The file of agents 'agents\.py' cannot be loaded: .*line 3"):
        gb.evaluate(KUHN, f"{file}:pure")
    with pytest.raises(gb.errors.PluginError, match=r"The file of agents 'nowhere\.py' cannot be read: No such file"):
        gb.evaluate(KUHN, "nowhere.py:agent")
