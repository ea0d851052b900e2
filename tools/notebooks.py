"""Execute the notebooks of the documentation with this Python, each in an empty temporary folder.

python -m tools.notebooks                        # executes all in place
python -m tools.notebooks docs/notebooks/X.ipynb # or only these
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from traitlets import default

from gamebench.system.files import write_atomically

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
PATIENCE = 1800
"""Seconds after which a cell or a starting kernel counts as hanging."""

OPTIONS = {"timeout": PATIENCE, "startup_timeout": PATIENCE, "record_timing": False, "coalesce_streams": True}
"""Options that make the file depend only on the outputs."""


class ThisPython(KernelSpecManager):
    """A manager with a single kernel: the Python that runs this script."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Return the same kernel for every name."""
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name=kernel_name, language="python")


class Manager(AsyncKernelManager):
    """Starts and stops this kernel."""

    @default("transport")
    def _files_instead_of_ports(self) -> str:
        return "ipc"

    @default("kernel_spec_manager")
    def _this_python(self) -> ThisPython:
        return ThisPython()


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Run a notebook in ``folder``, and return it with new outputs; errors of its cells are raised."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as scratch:
        # Neither read nor write the user's Jupyter and IPython settings.
        own = dict.fromkeys(("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"), scratch)
        environment = {**os.environ, **own, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        environment.pop("MPLBACKEND", None)  # store figures in the notebook
        client = NotebookClient(notebook, kernel_manager_class=Manager, **OPTIONS)
        client.create_kernel_manager().connection_file = str(Path(scratch) / "connection.json")
        client.execute(cwd=str(folder), env=environment)
    # The version of Python would change the file from machine to machine.
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def main(paths: list[Path]) -> None:
    """Execute the notebooks in place."""
    for path in paths or sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            notebook = executed(path, Path(folder))
        nbformat.validate(notebook)
        write_atomically(path, nbformat.writes(notebook).encode() + b"\n")
        print(path)


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
