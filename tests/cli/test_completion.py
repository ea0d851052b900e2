"""Tab completion, as Typer's scripts ask for it: in this process, and once through the real command."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from gamebench.games.loading.openspiel import registered_games
from tests.cli.commands import gamebench

WORDS = {
    ("ev",): ["evaluate"],
    ("run", "Leduc", "--alg"): ["--algorithm"],
    ("run", "Led"): ["Leduc", "Leduc-3"],
    ("run", "leduc_"): ["leduc_poker"],
    ("run", "Kuhn", "-a", "MMD"): ["MMD-KL", "MMD-EU"],
    ("run", "Kuhn", "--set", "hist"): ["history="],
    ("run", "Kuhn", "-a", "cfr+", "--set", "alt"): ["alternating="],
    ("run", "Kuhn", "-a", "nonsense", "--set", ""): [],
    ("evaluate", "Kuhn", "uni"): ["uniform"],
    ("list", "meas"): ["measures"],
    ("export", "x", "--to", "c"): ["csv"],
    ("sweep", "over"): ["overview"],
    ("sweep", "overview", "iter"): ["iterations=", "iterates="],
    ("show", "Exploit"): ["Exploitability"],
    ("solve-exactly", "matrix_cd", "--concept", ""): ["CCE", "EFCE", "Nash"],
    ("reproduce", "summary", "al"): ["alpha", "alternating"],
    ("run", "Kuhn", "--plugin", "nowhere.py", "-a", "DOM"): ["DOMWU"],
}


def asked(*words):
    """The environment variables with which bash asks for completions of the last of these words."""
    line = "\n".join(("gamebench", *(shlex.quote(word) for word in words[:-1]), words[-1]))
    return {**os.environ, "_GAMEBENCH_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}


def names_after(*words):
    process = gamebench(env=asked(*map(str, words)))
    assert process.stderr == ""
    return process.stdout.split("\n")[:-1] if process.stdout.strip() else []


def test_names_follow_from_the_registries():
    for words, expected in WORDS.items():
        assert names_after(*words) == expected, words
    assert not set(names_after("run", "")) & set(registered_games())  # not before the first letter


def test_runs_are_those_of_the_folder_and_names_of_plug_ins_are_known(solved, tmp_path):
    assert names_after("export", "--out", solved.folder, "") == sorted(solved.ids)
    (tmp_path / "own.py").write_text("import gamebench as gb\n@gb.register_game\ndef own_game(): return 'kuhn_poker'\n")
    assert names_after("run", "--plugin", tmp_path / "own.py", "own") == ["own_game"]


def test_the_real_command_answers_in_bash(tmp_path):
    script = f"""
        PATH={Path(sys.executable).parent}:$PATH
        source <(_GAMEBENCH_COMPLETE=source_bash gamebench)
        COMP_WORDS=(gamebench run Kuhn -a CFR) COMP_CWORD=4
        _gamebench_completion gamebench
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    shown = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (shown.stdout.splitlines(), shown.stderr) == (["CFR", "CFR+"], "")
    failing = gamebench(env={**asked("run", "Kuhn", "-a", ""), "COMP_CWORD": "nonsense"})
    assert (failing.stdout, failing.stderr) == ("", "")
