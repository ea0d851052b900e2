"""The notebooks of the documentation run, and reproduce the output that is stored in them."""

import nbformat
import pytest
from tools.notebooks import FOLDER, executed

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def said(notebook):
    """For each cell: what it printed or returned, as text, and the kinds of other output, such as pictures."""
    found = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        text, kinds = "", []
        for output in cell.outputs:  # what a cell prints may come in one piece or in several
            data = output.get("data", {})
            text += output.get("text", data.get("text/plain", ""))
            kinds += sorted(kind for kind in data if kind != "text/plain")
        found[cell.id] = text, kinds
    return found


def test_there_are_notebooks():
    assert {path.name for path in NOTEBOOKS} == {"colab.ipynb", "first_game.ipynb", "own_measure.ipynb"}


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_say_what_is_stored(path, tmp_path):
    stored = nbformat.read(path, as_version=4)
    assert said(executed(path, tmp_path)) == said(stored)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_whole_and_small(path):
    """Cells are in order, without errors, with a picture, and without output that differs between machines."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    kinds = {output.output_type for cell in code for output in cell.outputs}
    assert kinds <= {"stream", "display_data", "execute_result"}
    assert all(output.get("name") != "stderr" for cell in code for output in cell.outputs)
    assert any("image/png" in output.get("data", {}) for cell in code for output in cell.outputs)
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert path.stat().st_size < 200_000
