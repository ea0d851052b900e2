"""The curve of a run: what was measured along the way, as columns."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gamebench.core.choices import ALPHA, ITERATES, MAGNET, TimeAxis
from gamebench.core.errors import GameBenchError, brief, file_errors_as
from gamebench.core.settings import checked, file_path
from gamebench.system.files import parse_json, write_atomically

if TYPE_CHECKING:
    import pandas
    import pyarrow

COUNTS = tuple(axis.column for axis in TimeAxis if axis.is_whole)
"""Columns of whole numbers; all others hold real numbers."""
FIRST = (TimeAxis.ITERATIONS, TimeAxis.SECONDS)
TIMES = tuple(axis.column for axis in sorted(TimeAxis, key=lambda axis: axis not in FIRST))
"""The first columns of every curve, which count time, in the order in which they are stored."""
RUN = ("run", "game", "algorithm", "seed")
"""Columns of a stored curve that identify its run; each has the same value in all rows."""


def is_reserved(name: str) -> bool:
    """Whether a name is reserved: tables of results use it for another column, so no measure can have it."""
    return name in (*TIMES, *RUN, "method") or name.startswith(ALPHA) or split_iterate(name)[1] != ""


def with_iterate(measure: str, iterate: str) -> str:
    """Return the column of a measure of an iterate other than the reported one, such as ``NashConv [current]``."""
    return f"{measure} [{iterate}]"


def split_iterate(column: str) -> tuple[str, str]:
    """Return a column's measure and iterate; the second is empty for the iterate that is reported.

    Any other brackets are part of the measure's name.

    >>> split_iterate("NashConv [current]"), split_iterate("NashConv"), split_iterate("gain [euro]")
    (('NashConv', 'current'), ('NashConv', ''), ('gain [euro]', ''))
    """
    match = re.fullmatch(rf"(.+) \[({'|'.join(ITERATES)})\]", column)
    return (match[1], match[2]) if match else (column, "")


KEY, LABELS = b"gamebench", b"gamebench labels"
"""Metadata of a Parquet file: which run the curve belongs to, and which of its columns are labels."""


class Curve(Mapping[str, npt.NDArray[Any]]):
    """Learning curve of a run: a mapping from column names to arrays.

    The columns are those that count time (``iteration``, ``seconds``, ...), one for each measure, one for each measure
    of each further iterate, such as ``NashConv [current]``, and one for each weight alpha of algorithms that have
    weights. ``seconds`` is the time spent in the algorithm. It includes the evaluation of a meta-controller's
    candidates, but not the measurements for the curve or compilation.

    Examples:
        >>> import gamebench as gb
        >>> curve = gb.solve("Kuhn", "CFR+", 4).curve
        >>> curve
        Curve(4 points; NashConv)
        >>> curve["iteration"]
        array([0, 1, 2, 4])
        >>> bool(curve["NashConv"][-1] < curve["NashConv"][0])
        True
        >>> gb.Curve({"iteration": [0, 100], "NashConv": [0.92, 0.31]})
        Curve(2 points; NashConv)
    """

    def __init__(
        self, columns: Mapping[str, Any] | pandas.DataFrame | None = None, about: Mapping[str, Any] | None = None
    ) -> None:
        """Create a curve from columns of numbers: a mapping or a data frame. ``about`` describes the run."""
        columns, about = {} if columns is None else columns, {} if about is None else about
        if not isinstance(columns, Mapping) and not _is_frame(columns):
            raise GameBenchError(
                f"The columns of a curve must be a dict or a data frame, not {type(columns).__name__}."
            )
        if not isinstance(about, Mapping):
            raise GameBenchError(f"about= of a curve takes a dict, not {type(about).__name__}.")
        self.about = dict(about)
        self.labels: dict[str, Any] = {}
        """Columns of a file that only identify its run, such as the game."""
        self._columns: dict[str, Any] = {name: _as_column(name, column) for name, column in dict(columns).items()}
        if len({len(column) for column in self._columns.values()}) > 1:
            raise GameBenchError("The columns of a curve have different lengths.")

    def add(self, row: Mapping[str, float]) -> None:
        """Add a point, with the same columns as all points before it."""
        if not self.num_points:
            self._columns = {name: [] for name in row}
        if list(row) != list(self._columns):
            raise GameBenchError(f"All points of a curve have the same columns: {', '.join(self)}.")
        for name, value in row.items():
            if not isinstance(self._columns[name], list):  # the column was read; from now on it grows
                self._columns[name] = self._columns[name].tolist()
            self._columns[name].append(value)

    @property
    def num_points(self) -> int:
        """The number of points."""
        return len(next(iter(self._columns.values()), ()))

    @property
    def last(self) -> dict[str, float]:
        """The values at the last point; empty if there are no points."""
        ends = {name: column[-1] for name, column in self._columns.items() if len(column)}
        return {name: value.item() if isinstance(value, np.generic) else value for name, value in ends.items()}

    @property
    def measures(self) -> list[str]:
        """Names of the columns that hold measures."""
        return [name for name in self if not is_reserved(name)]

    @property
    def iterates(self) -> list[str]:
        """Names of the iterates measured besides the reported one."""
        return list(dict.fromkeys(iterate for name in self if (iterate := split_iterate(name)[1])))

    def of_iterate(self, iterate: str) -> Curve:
        """Return the curve of another iterate: its measures in place of those of the reported one."""
        others = {measure: with_iterate(measure, iterate) for measure in self.measures}
        columns = {name: self[others.get(name, name)] for name in self if not split_iterate(name)[1]}
        return Curve(columns, self.about)

    @property
    def weights(self) -> list[str]:
        """Names of the columns of weights: the magnet's first, if there is one, then the latest policy's, and so on."""
        return sorted((name for name in self if name.startswith(ALPHA)), key=lambda name: name != MAGNET)

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if name not in self:
            raise KeyError(f"The curve has no column {name!r}; it has {', '.join(self)}.")
        return np.array(self._columns[name], dtype=np.int64 if name in COUNTS else np.float64)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the curve as a data frame."""
        import pandas

        return pandas.DataFrame(dict(self))

    def to_table(self, labels: Mapping[str, str | int]) -> pyarrow.Table:
        """Return the curve as an Arrow table, with a column for each label that is the same in all rows."""
        import pyarrow

        columns = {name: _repeated(label, self.num_points) for name, label in labels.items()}
        columns |= {name: _numbers(column) for name, column in self.items() if name not in labels}
        return pyarrow.Table.from_arrays(list(columns.values()), names=list(columns))

    def save(self, path: str | os.PathLike[str], labels: Mapping[str, str | int] | None = None) -> None:
        """Write a Parquet file whose metadata describes the run.

        ``labels`` become further columns, constant over all rows, which identify the curve if several are read at once.
        """
        file = checked("path", path, file_path, GameBenchError)
        with file_errors_as(GameBenchError, f"The curve cannot be written to {str(path)!r}"):
            write_atomically(file, self.to_parquet(labels or {}))

    def to_parquet(self, labels: Mapping[str, str | int]) -> bytes:
        """Return what :meth:`save` writes."""
        import pyarrow
        from pyarrow import parquet

        metadata = {KEY: json.dumps(self.about).encode(), LABELS: json.dumps(list(labels)).encode()}
        sink = pyarrow.BufferOutputStream()
        parquet.write_table(self.to_table(labels).replace_schema_metadata(metadata), sink)
        return bytes(sink.getvalue())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Curve:
        """Read what :meth:`save` wrote."""
        file = checked("path", path, file_path, GameBenchError)
        with file_errors_as(GameBenchError, f"The curve {str(path)!r} cannot be read"):
            content = file.read_bytes()
        return Curve.from_parquet(content, path)

    @staticmethod
    def from_parquet(content: bytes, path: str | os.PathLike[str]) -> Curve:
        """Parse and check ``content``, which was read from the Parquet file ``path``, and return the curve."""
        import pyarrow

        try:
            table = table_of(content)
            metadata = table.schema.metadata or {}
            labels = parse_json(metadata.get(LABELS, b"[]"))
            columns = table.drop_columns(labels)
            if any(column.null_count or not _is_number(column.type) for column in columns.columns):
                raise ValueError("not numbers")
            numbers = {name: columns[name].to_pylist() for name in columns.column_names}
            curve = Curve(numbers, parse_json(metadata[KEY]))
            for name in labels:
                values = set(table[name].to_pylist())
                curve.labels[name] = values.pop() if len(values) == 1 else None
        except (
            *(pyarrow.ArrowException, OSError, KeyError, TypeError, ValueError, OverflowError),
            GameBenchError,
        ) as error:
            raise GameBenchError(f"{os.fspath(path)!r} is not a curve that GameBench wrote.") from error
        return curve

    def _repr_html_(self) -> str:
        return str(self.to_pandas().to_html(index=False, max_rows=20))

    def __repr__(self) -> str:
        return f"Curve({self.num_points} points; {', '.join(name for name in self if name not in TIMES)})"


def _is_frame(thing: object) -> bool:
    """Whether this is a pandas data frame; pandas itself is not imported."""
    return hasattr(thing, "columns") and hasattr(thing, "__getitem__")


def _as_column(name: Any, values: Any) -> npt.NDArray[Any]:
    """Return a copy of a curve's column as an array; raise an error unless it holds numbers."""
    if not isinstance(name, str):
        raise GameBenchError(f"The column names of a curve must be strings, not {brief(name)}.")
    is_count = name in COUNTS
    try:
        given = np.asarray(values)
        if given.ndim != 1 or given.dtype.kind not in "iufO":
            raise ValueError("not numbers")
        column = np.array(given, dtype=np.float64, order="C")
        if is_count and (column != np.floor(column)).any():  # also true for NaN
            raise ValueError("not whole")
        return np.array(given, dtype=np.int64, order="C") if is_count else column
    except (TypeError, ValueError, OverflowError) as error:
        numbers = "whole numbers" if is_count else "numbers"
        raise GameBenchError(f"The column {name!r} of a curve must hold {numbers}, one for each point.") from error


def _is_number(kind: pyarrow.DataType) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind))


def _numbers(column: npt.NDArray[Any]) -> pyarrow.Array:
    """Convert to an Arrow column without ``pyarrow.array``, which would spend half a second on importing pandas."""
    import pyarrow

    kind, buffers = pyarrow.from_numpy_dtype(column.dtype), [None, pyarrow.py_buffer(column)]
    return pyarrow.Array.from_buffers(kind, len(column), buffers)


def _repeated(label: str | int, times: int) -> pyarrow.Array:
    """Return an Arrow column with the same value in all rows; ``pyarrow.repeat`` also imports pandas."""
    import pyarrow

    if isinstance(label, int):
        return _numbers(np.full(times, label, dtype=np.int64))
    text = label.encode()
    offsets = np.arange(times + 1, dtype=np.int32) * np.int32(len(text))
    return pyarrow.StringArray.from_buffers(times, pyarrow.py_buffer(offsets), pyarrow.py_buffer(text * times))


def table_of(content: bytes) -> pyarrow.Table:
    """Return the table in the content of a Parquet file.

    It is read in this thread, and without pyarrow's data sets, which ``read_table`` would use: pyarrow's own threads
    abort the process if they are still alive when Python exits.
    """
    import pyarrow
    from pyarrow import parquet

    return parquet.ParquetFile(pyarrow.BufferReader(content), pre_buffer=False).read(use_threads=False)
