"""The page's assets: they are bundled into one file, and the linter checks them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gamebench.report.page.assembly import ASSETS, bundle_modules, bundle_styles

ROOT = Path(__file__).parents[2]
BIOME = ROOT / ".venv/biome/node_modules/@biomejs/biome/bin/biome"
"""Where ``make check`` installs it."""


def folder_of(folder, **files):
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def test_modules_run_after_what_they_import_and_once(tmp_path):
    folder = folder_of(
        tmp_path,
        main_js='import { double } from "./b.js";\nimport {\n  one,\n  two,\n} from "./a.js";\nlog(double(one));\n',
        b_js='import { two } from "./a.js";\n\nexport function double(x) {\n  return two * x;\n}\n',
        a_js="export const one = 1;\nexport const two = 2;\nconst hidden = 3;\n",
        unused_js="nothing();\n",
    )
    bundle = bundle_modules(folder)
    assert re.findall(r'^modules\["(\w\.js|main\.js)"\] =', bundle, re.MULTILINE) == ["a.js", "b.js", "main.js"]
    assert "return { one, two };" in bundle  # and nothing that is not exported
    assert 'const { double } = modules["b.js"];' in bundle
    assert not re.search(r"^(import|export)\b|nothing", bundle, re.MULTILINE)


def test_imports_that_nothing_exports_are_errors(tmp_path):
    folder = folder_of(tmp_path, main_js='import { f } from "./a.js";\n', a_js="function f() {}\n")
    with pytest.raises(ValueError, match="imports f from a"):
        bundle_modules(folder)


def test_styles_are_included_in_the_order_of_their_imports(tmp_path):
    files = {"main_css": '/* order */\n@import "./b.css";\n@import "./a.css";\n', "a_css": "p{}\n", "b_css": "q{}\n"}
    assert bundle_styles(folder_of(tmp_path, **files)).split() == ["/*", "order", "*/", "q{}", "p{}"]


def test_every_asset_is_used_and_small():
    script, style = bundle_modules(ASSETS / "js"), bundle_styles(ASSETS / "css")
    for file in (ASSETS / "js").iterdir():
        assert f'modules["{file.name}"] = ' in script
    for file in (ASSETS / "css").iterdir():
        assert file.name == "main.css" or file.read_text(encoding="utf-8") in style
    for file in (*(ASSETS / "js").iterdir(), *(ASSETS / "css").iterdir()):
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 450


FAULTS = {
    "noUnusedVariables": ("js", "export const x = 1;\nconst unused = 2;\n"),
    "noUndeclaredVariables": ("js", "export const x = missing + 1;\n"),
    "noUnknownProperty": ("css", "p {\n  colour: red;\n}\n"),
    "parse": ("css", "p {\n  color red;\n}\n"),
}
"""A text with each fault, by the rule that finds it."""


def test_the_linter_finds_faults(tmp_path):
    node = shutil.which("node", path=ROOT / ".venv/bin")
    if node is None or not BIOME.exists():
        pytest.skip("Biome is not installed: make check")
    folder = tmp_path / "src/gamebench/report/page/assets"  # which the configuration names
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "biome.json", tmp_path)
    for rule, (kind, text) in FAULTS.items():
        (folder / f"{rule}.{kind}").write_text(text)
    check = [node, BIOME, "check", "--error-on-warnings", "--colors=off", "--max-diagnostics=none"]
    result = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode != 0
    found = result.stdout + result.stderr
    for rule, (kind, _) in FAULTS.items():
        assert re.search(rf"{rule}\.{kind}.* .*{rule}", found), rule
