"""Arrays inside a page: exact, small, and each different one only once."""

from __future__ import annotations

import base64

import numpy as np
import numpy.typing as npt


def packed(values: npt.ArrayLike) -> str:
    """The numbers as 64-bit floats, little end first, in base64; the page's script unpacks the same bits."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()


class ArrayPool:
    """Packed arrays, to be referred to by number: the iterations of a thousand runs are often the same."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}

    def add(self, values: npt.ArrayLike) -> int:
        """The number under which the page finds these values."""
        text = packed(values)
        if text not in self._places:
            self._places[text] = len(self.texts)
            self.texts.append(text)
        return self._places[text]
