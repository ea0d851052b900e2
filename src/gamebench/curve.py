"""What a run looked like: one row for each point at which it was measured."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gamebench.errors import GameBenchError
from gamebench.files import parse_json, write_atomically

if TYPE_CHECKING:
    import pandas
    import pyarrow

COUNTS = ("iteration", "policies_evaluated")
"""Columns of whole numbers; all others are real."""
TIMES = ("iteration", "seconds", "policies_evaluated")
"""What every curve has: three ways to count time."""
RUN = ("run", "game", "algorithm", "seed")
"""What a stored curve says in columns of their own, the same in all rows."""
ALPHA = "alpha_"
"""How the names of columns begin that are weights: ``alpha_magnet``, then ``alpha_1`` for the latest policy, and so on.

The index is the paper's, in which the magnet is 0.
"""


def is_reserved(name: str) -> bool:
    """Whether a column of this name is not a measure's."""
    return name in TIMES or name in RUN or name.startswith(ALPHA)


KEY, LABELS = b"gamebench", b"gamebench labels"
"""Under which a Parquet file says what run the curve is of, and which of its columns are labels."""
MAGNET_IS_0 = {b"gamebench weights": b"magnet is 0"}
"""Said by every Parquet file in which weights have the paper's index; early versions gave 0 to the latest policy."""


def with_papers_index(names: Iterable[str]) -> list[str]:
    """The columns of an early version's curve, with weights by the paper's index."""
    number = re.compile(rf"{ALPHA}(\d+)")
    return [f"{ALPHA}{int(found[1]) + 1}" if (found := number.fullmatch(name)) else name for name in names]


class Curve(Mapping[str, npt.NDArray[Any]]):
    """Columns by name: ``iteration``, ``seconds``, ``policies_evaluated``, each measure, and alpha where there is one.

    ``seconds`` is time spent in the algorithm: its own evaluations of candidates count, measuring for the curve does
    not, nor does compiling.
    """

    def __init__(self, about: Mapping[str, Any] | None = None) -> None:
        """An empty curve; ``about`` says what run it is of."""
        self.about = dict(about or {})
        self._rows: list[dict[str, float]] = []

    def add(self, row: Mapping[str, float]) -> None:
        """One more point, with the same columns as all before it."""
        if self._rows and list(row) != list(self._rows[0]):
            raise GameBenchError(f"A curve's points have the same columns: {', '.join(self)}.")
        self._rows.append(dict(row))

    @property
    def num_points(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    @property
    def last(self) -> dict[str, float]:
        """The last row; empty if there is none."""
        return dict(self._rows[-1]) if self._rows else {}

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if name not in self:
            raise KeyError(f"The curve has no column {name!r}; it has {', '.join(self)}.")
        return np.array([row[name] for row in self._rows], dtype=np.int64 if name in COUNTS else np.float64)

    def __contains__(self, name: object) -> bool:
        return bool(self._rows) and name in self._rows[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows[0] if self._rows else ())

    def __len__(self) -> int:
        return len(self._rows[0]) if self._rows else 0

    def to_pandas(self) -> pandas.DataFrame:
        """The curve as a data frame."""
        import pandas

        return pandas.DataFrame(dict(self))

    def save(self, path: str | os.PathLike[str], labels: Mapping[str, str | int] | None = None) -> None:
        """Write a Parquet file, which says what run it is of in its metadata.

        ``labels`` are further columns, the same in all rows, that tell the curve from others read together with it.
        """
        try:
            write_atomically(Path(path), self.to_parquet(labels or {}))
        except OSError as error:
            raise GameBenchError(f"The curve cannot be written to {os.fspath(path)!r}: {error.strerror}.") from error

    def to_parquet(self, labels: Mapping[str, str | int]) -> bytes:
        """What :meth:`save` writes."""
        import pyarrow
        from pyarrow import parquet

        columns = {name: _repeated(label, self.num_points) for name, label in labels.items()}
        columns |= {name: _numbers(column) for name, column in self.items()}
        metadata = {KEY: json.dumps(self.about).encode(), LABELS: json.dumps(list(labels)).encode(), **MAGNET_IS_0}
        sink = pyarrow.BufferOutputStream()
        table = pyarrow.Table.from_arrays(list(columns.values()), names=list(columns), metadata=metadata)
        parquet.write_table(table, sink)
        return bytes(sink.getvalue())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Curve:
        """Read what :meth:`save` wrote, without the labels."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise GameBenchError(f"The curve {os.fspath(path)!r} cannot be read: {error.strerror}.") from error
        return Curve.from_parquet(content, path)

    @staticmethod
    def from_parquet(content: bytes, path: str | os.PathLike[str]) -> Curve:
        """The same from the content of the file ``path``."""
        import pyarrow

        try:
            table = table_of(content)
            metadata = table.schema.metadata or {}
            curve = Curve(parse_json(metadata[KEY]))
            columns = table.drop_columns(parse_json(metadata.get(LABELS, b"[]")))
            if any(column.null_count or not _is_number(column.type) for column in columns.columns):
                raise ValueError("not numbers")
        except (pyarrow.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
            raise GameBenchError(f"{os.fspath(path)!r} is not a curve that GameBench wrote.") from error
        for row in columns.to_pylist():
            curve.add(row)
        return curve

    def __repr__(self) -> str:
        return f"Curve({self.num_points} points; {', '.join(self)})"


def run_of(content: bytes) -> str:
    """Whose curve the content of a Parquet file is, by its own column; empty if it does not say one run."""
    table = table_of(content)
    runs = set(table["run"].to_pylist()) if "run" in table.column_names else set()
    return str(runs.pop()) if len(runs) == 1 else ""


def _is_number(kind: pyarrow.DataType) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind))


def _numbers(column: npt.NDArray[Any]) -> pyarrow.Array:
    """The column for pyarrow, whose ``array`` would import pandas: half a second in every process that writes a run."""
    import pyarrow

    return pyarrow.Array.from_buffers(
        pyarrow.from_numpy_dtype(column.dtype), len(column), [None, pyarrow.py_buffer(column)]
    )


def _repeated(label: str | int, times: int) -> pyarrow.Array:
    """A column of one value."""
    import pyarrow

    if isinstance(label, int):
        return _numbers(np.full(times, label, dtype=np.int64))
    text = label.encode()
    offsets = np.arange(times + 1, dtype=np.int32) * np.int32(len(text))
    return pyarrow.StringArray.from_buffers(times, pyarrow.py_buffer(offsets), pyarrow.py_buffer(text * times))


def table_of(content: bytes) -> pyarrow.Table:
    """The table in the content of a Parquet file.

    Read by this thread alone, not from a Python file, and without pyarrow's data sets, which ``read_table`` would bring
    in: threads of pyarrow that are still there when Python ends make the process abort.
    """
    import pyarrow
    from pyarrow import parquet

    table = parquet.ParquetFile(pyarrow.BufferReader(content), pre_buffer=False).read(use_threads=False)
    metadata = table.schema.metadata or {}
    if MAGNET_IS_0.items() <= metadata.items():
        return table
    return table.rename_columns(with_papers_index(table.column_names)).replace_schema_metadata(metadata)
