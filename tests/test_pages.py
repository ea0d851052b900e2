"""The tables in the documentation match the shipped data."""

import re

from tools import pages


def test_every_table_is_that_of_the_shipped_data():
    """If they differ, run ``python -m tools.pages``."""
    made = pages.pages()
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, path.name
    found = re.findall(r"<!-- /(.*?) -->", "".join(made.values()))
    assert sorted(name for name in found if name in pages.TABLES) == sorted(pages.TABLES)


def test_only_the_tables_of_a_page_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "DOCS", tmp_path)
    monkeypatch.setattr(pages, "TABLES", {"two rows": lambda: [("a|b", "n"), ("x", "1"), ("`y_z`", "-")]})
    block = "Before.\n\n<!-- two rows -->\nold\n<!-- /two rows -->\nAfter <!-- other -->.\n"
    for name in ("first", "second"):
        (tmp_path / f"{name}.md").write_text(block)
    (tmp_path / "none.md").write_text("No table.")
    pages.write("first")
    table = "| a\\|b | n |\n| --- | --: |\n| x | 1 |\n| `y_z` | - |"
    assert (tmp_path / "first.md").read_text() == block.replace("\nold\n", f"\n\n{table}\n\n")
    assert (tmp_path / "second.md").read_text() == block
    pages.write()
    assert (tmp_path / "second.md").read_text() == (tmp_path / "first.md").read_text()
