"""``gamebench report`` with one folder and with several."""

import json
import re

from tests.cli.commands import assert_one_sentence, done, gamebench

RUN = ("run", "Kuhn-A", "--algorithm", "CFR+")


def data_of(page):
    return json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>', page.read_text(), re.DOTALL)[1])


def test_several_folders_make_one_page_in_the_current_folder(tmp_path):
    for name, iterations in (("A", 4), ("B", 8)):
        done(*RUN, "--iterations", iterations, "--out", tmp_path / name)
    made = gamebench("report", "A", "B", cwd=tmp_path)
    assert (made.returncode, made.stdout.split(" ")[0]) == (0, "report.html")
    data = data_of(tmp_path / "report.html")
    assert [method["name"] for method in data["methods"]] == ["CFR+ [A]", "CFR+ [B]"]
    assert data["background"]["command"] == "gamebench report A B --output report.html"
    one = gamebench("report", "A", cwd=tmp_path)
    assert one.returncode == 0
    assert [method["name"] for method in data_of(tmp_path / "A" / "report.html")["methods"]] == ["CFR+"]
    assert "A' is given twice" in assert_one_sentence(gamebench("report", "A", "B", "A", cwd=tmp_path), 2)
    assert "C'; gamebench run" in assert_one_sentence(gamebench("report", "A", "C", cwd=tmp_path), 2)
