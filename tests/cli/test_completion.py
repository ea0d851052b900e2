"""Tab completion, as shells ask for it: through the real command, and in a real bash."""

import json
import os
import shlex
import subprocess

import pytest
from tools.known_names import collected

import gamebench as gb
from gamebench.cli import completion
from gamebench.cli.candidates import complete, quoted, split_line, unquoted
from gamebench.cli.known_names import known_names
from gamebench.games.openspiel import registered_games
from tests.cli.commands import GAMEBENCH, gamebench, started
from tests.patience import HANG


def completed(shell, *arguments, **options):
    """What a shell's script reads."""
    process = gamebench(*arguments, env={**os.environ, completion.VARIABLE: shell}, **options)
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout.splitlines()


def names_after(*words):
    *before, incomplete = words
    return [candidate.value for candidate in complete(before, incomplete).candidates]


def test_the_table_of_names_is_up_to_date():
    """If not: ``python -m tools.known_names``."""
    assert known_names() == json.loads(json.dumps(collected()))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ev"], ["evaluate"]),
        (["--ver"], ["--version"]),
        (["run", "Leduc", "--alg"], ["--algorithm"]),
        (["run", "Led"], ["Leduc", "Leduc-3"]),
        (["run", "LEDUC-"], ["Leduc-3"]),
        (["run", "leduc_"], ["leduc_poker"]),
        (["show", "BigL"], ["BigLeduc"]),
        (["tune", "Kuhn", "MCCKuhn-A "], ["MCCKuhn-A [coordinated]"]),
        (["run", "Kuhn", "-a", "MMD"], ["MMD-KL", "MMD-EU"]),
        (["run", "Kuhn", "--algorithm=CMD("], ["--algorithm=CMD(SR)"]),
        (["run", "Kuhn", "--set", "hist"], ["history="]),
        (["run", "Kuhn", "-a", "cfr+", "--set", "hist"], []),
        (["run", "Kuhn", "-a", "cfr+", "--set", "alt"], ["alternating="]),
        (["run", "Kuhn", "--set", "controller=D"], ["controller=DRS", "controller=DGLDS"]),
        (["run", "Kuhn", "--set", "magnet=mo"], ["magnet=moving"]),
        (["run", "Kuhn", "--json", "--json"], []),  # which is not repeated
        (["run", "Kuhn", "--measure", "NashConv", "--meas"], ["--measure"]),  # which may be
        (["evaluate", "Kuhn", "uni"], ["uniform"]),
        (["list", "meas"], ["measures"]),
        (["export", "x", "--to", "c"], ["csv"]),
        (["sweep", "over"], ["overview"]),
        (["show", "Exploit"], ["Exploitability"]),
        (["solve-exactly", "matrix_cd", "--concept", ""], ["CCE", "EFCE", "Nash"]),
        (["solve-exactly", "matrix_cd", "--concept=n"], ["--concept=Nash"]),
        (["solve-exactly", "matrix_cd", "--objective", ""], ["SocialWelfare", "Fairness(smallest)"]),
        (["figure", "--linear"], ["--linear-x", "--linear-y"]),
        (["convert", "Kuhn", "over"], []),  # a file
        (["sweep", "overview", "iter"], ["iterations=", "iterates="]),
        (["reproduce", "summary", "al"], ["alpha", "alternating", "all"]),
        (["claims", "--name", "gmd-stuck-on-l"], ["gmd-stuck-on-leduc"]),
        (["leaderboard", "--iterate", "cur"], ["current"]),
        (["completion", "z"], ["zsh"]),
        (["check", "DR"], ["DRS"]),
        (["nonsense", "x"], []),
    ],
    ids=" ".join,
)
def test_values(words, expected):
    assert names_after(*words) == expected


def test_games_of_open_spiel_wait_for_the_first_letters():
    assert not set(names_after("run", "")) & set(registered_games())


def test_runs_are_those_of_the_folder(solved):
    assert names_after("export", "--out", str(solved.folder), "") == sorted(solved.ids)
    assert complete(["export"], "nowhere").takes_files


@pytest.mark.parametrize("command", ["figure", "table"])
def test_games_and_methods_of_results_are_those_of_the_folder(command, tmp_path):
    long = "goofspiel(players=2,num_cards=2,imp_info=True)"
    variant = {"algorithm": "GMD", "set": {"history": 3}}
    sweep = {"games": ["kuhn_poker", long], "algorithms": ["CFR", variant], "iterations": 2}
    gb.sweep(sweep, tmp_path, executor="serial")
    next(tmp_path.glob("runs/*/spec.json")).write_text("[1]")  # the other run of this game or method tells its name
    folder = str(tmp_path)
    assert names_after(command, folder, "--games", "") == [long, "kuhn_poker"]
    assert names_after(command, folder, "--games", f"{long},k") == [f"{long},kuhn_poker"]
    assert names_after(command, folder, "--games", "kuhn_poker,goofspiel(players=2,n") == [f"kuhn_poker,{long}"]
    assert names_after(command, folder, "--methods", "") == ["CFR", "GMD history=3"]
    assert names_after(command, folder, "--methods", "CFR,GMD ") == ["CFR,GMD history=3"]
    assert names_after(command, str(tmp_path / "nothing"), "--games", "") == []


@pytest.mark.parametrize(
    ("line", "words", "raw", "quote"),
    [
        ("gamebench run Ku", ["run"], "Ku", ""),
        ("gamebench run 'a b' ", ["run", "a b"], "", ""),
        ('A=1 gamebench evaluate "MCC A', ["evaluate"], '"MCC A', '"'),
        (r"gamebench evaluate MCC\ \[c", ["evaluate"], r"MCC\ \[c", ""),
        ("gamebench", [], "gamebench", ""),
    ],
)
def test_lines_of_bash(line, words, raw, quote):
    assert split_line(line) == (words, raw, quote)


@pytest.mark.parametrize("name", ["CFR+", "CMD(SR)", "MCCKuhn-A [coordinated]", "x ln x", "a'b", 'a"b', "~/x\\y"])
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_names_are_quoted_for_a_shell_and_read_back(name, quote):
    typed = f"{quote}{quoted(name, quote)}"
    assert shlex.split(f"{typed}{quote}") == [name]
    assert unquoted(typed) == name


def test_bash_gets_what_replaces_the_end_of_the_word():
    assert completed("bash", "gamebench run Kuhn --set controller=DR", "DR") == ["names", "DRS"]
    assert completed("bash", 'gamebench evaluate "MCCKuhn-A ', "MCCKuhn-A ") == ["files", "MCCKuhn-A [coordinated]"]
    assert completed("bash", "gamebench run Kuhn --measure CCEGap", "CCEGap")[1:] == ["CCEGap", r"CCEGap\(average\)"]
    assert "MCCKuhn-A [coordinated]\tzero-sum, 978 decision points" in completed("fish", "evaluate", "MCC")
    assert completed("zsh", "run", "Kuhn", "--iterations", "") == ["names"]  # a number, for which no file stands


@pytest.mark.parametrize(
    ("line", "word", "reply"),
    [
        ("gamebench ev", "ev", ["evaluate"]),
        ("gamebench run Kuhn --set hist", "hist", ["history="]),
        ("gamebench evaluate MCCKuhn-B\\ ", "MCCKuhn-B\\ ", ["MCCKuhn-B\\ \\[coordinated\\]"]),
        ("gamebench run Kuhn -a CFR", "CFR", ["CFR", "CFR+"]),
    ],
)
def test_a_real_bash(line, word, reply, tmp_path):
    (tmp_path / "MCCKuhn-B c").touch()  # which a pattern with brackets would match
    script = f"""
        {completion.SCRIPTS[completion.Shell.BASH]}
        COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
        _gamebench {shlex.quote(str(GAMEBENCH))} {shlex.quote(word)} ""
        printf '%s\\n' "${{COMPREPLY[@]}}"
        complete -p gamebench
    """
    shown = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, cwd=tmp_path, timeout=HANG, check=True
    )
    assert shown.stdout.splitlines() == [*reply, "complete -o default -F _gamebench gamebench"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_printed(shell):
    assert gamebench("completion", shell).stdout == completion.SCRIPTS[completion.Shell(shell)]


def test_an_answer_imports_nothing_heavy(tmp_path):
    """Not even NumPy, unless OpenSpiel's games are wanted."""
    process = started(
        "run", "Kuhn", "--set", "", env={**os.environ, completion.VARIABLE: "fish", "PYTHONPROFILEIMPORTTIME": "1"}
    )
    imported = {line.rpartition("|")[2].strip() for line in process.stderr.splitlines()}
    assert "gamebench.cli.candidates" in imported
    assert not imported & {"numpy", "numba", "pyspiel", "rich", "scipy", "pandas"}
