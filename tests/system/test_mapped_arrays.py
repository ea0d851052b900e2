"""Files of mapped arrays: what was written is read, in place, and damaged files are refused."""

import json
import mmap
import os

import numpy as np
import pytest

from gamebench.system import mapped_arrays, processes
from gamebench.system.files import DamagedFileError
from gamebench.system.mapped_arrays import ALIGNMENT, LONGEST_HEADER, MAGIC, give_back, load_mapped, save_mapped
from tests.patience import watched_threads

ARRAYS = {
    "reals": np.array([[0.5, -1.25, 3.0], [1e300, 5e-324, -7.0]]),
    "codes": np.arange(5, dtype=np.uint8),
    "nothing": np.empty((0, 3), dtype=np.int32),
    "numbers": np.arange(-3, 4, dtype=np.int64),
}


@pytest.fixture(params=["read", "mapped"])
def way(request, monkeypatch):
    """Small files, both as they are and as if they were large: mapped, with many blocks."""
    if request.param == "mapped":
        monkeypatch.setattr(mapped_arrays, "MAPPED_FROM", 0)
        monkeypatch.setattr(mapped_arrays, "BLOCK", 64)
    return request.param


def root_of(array):
    while isinstance(array, np.ndarray):
        array = array.base
    return array


def test_what_was_written_is_read(tmp_path, way):
    path = tmp_path / "file"
    save_mapped(path, {"x": [1, "\ud800"]}, ARRAYS)
    metadata, found = load_mapped(path)
    assert metadata == {"x": [1, "\ud800"]}
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert found[name].flags.c_contiguous
        assert found[name].flags.aligned
        assert np.array_equal(found[name], array)
        assert isinstance(root_of(found[name]), mmap.mmap if way == "mapped" else bytes)
        with pytest.raises(ValueError, match="WRITEABLE"):
            found[name].flags.writeable = True


def test_arrays_that_are_given_back_are_still_there(tmp_path, monkeypatch):
    monkeypatch.setattr(mapped_arrays, "MAPPED_FROM", 0)
    large = np.arange(100_000.0).reshape(2, -1)
    save_mapped(tmp_path / "file", {}, {"a": large, **ARRAYS})
    found = load_mapped(tmp_path / "file")[1]
    assert {array.ctypes.data % ALIGNMENT for array in found.values()} == {0}
    (tmp_path / "file").unlink()  # the mapping remains valid
    give_back(*found.values(), found["a"][1, 500:40_000], np.ones(3))
    assert np.array_equal(found["a"], large)
    assert np.array_equal(found["numbers"], ARRAYS["numbers"])


def test_every_bit_and_the_length_count(tmp_path, way):
    path = tmp_path / "file"
    save_mapped(path, {"x": 1}, ARRAYS)
    sound = path.read_bytes()
    flipped = (sound[:at] + bytes([byte ^ 0x10]) + sound[at + 1 :] for at, byte in enumerate(sound))
    cut = (sound[:length] for length in range(len(sound)))
    for content in (*flipped, *cut, sound + b"\0"):
        path.write_bytes(content)
        with pytest.raises(DamagedFileError):
            load_mapped(path)


def with_header(header, rest=bytes(100)):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return MAGIC + len(text).to_bytes(8, "little") + text + rest


WRONG_ARRAYS = [3, {"a": 3}, *({"a": entry} for entry in ([["<f8"], [1]], ["<f8", 7], ["|O", [1]]))]
WRONG_SHAPES = [[-1, -1], [True], [10**30]]
WRONG = [
    MAGIC + b"\xff" * 8 + bytes(100),
    MAGIC + (LONGEST_HEADER + 1).to_bytes(8, "little") + b" " * (LONGEST_HEADER + 100),
    *map(with_header, (b"[" * 100_000, b"\xff\xfe", [], {"metadata": {}})),
    *(with_header({"metadata": {}, "arrays": arrays}) for arrays in WRONG_ARRAYS),
    *(with_header({"metadata": {}, "arrays": {"a": ["<f8", shape]}}) for shape in WRONG_SHAPES),
    with_header({"metadata": [], "arrays": {}}, bytes(32)),
]


def test_headers_that_are_not_ours(tmp_path):
    for content in WRONG:
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(DamagedFileError):
            load_mapped(tmp_path / "file")


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    save_mapped(tmp_path / "file", {}, ARRAYS)
    os.truncate(tmp_path / "file", 2**40)  # takes no space on the disk
    with pytest.raises(DamagedFileError):
        load_mapped(tmp_path / "file")


def test_what_cannot_be_read_is_not_written(tmp_path):
    for metadata, array in (({}, np.array(["text"])), ({"long": " " * LONGEST_HEADER}, np.ones(1))):
        with pytest.raises(ValueError, match="cannot be stored"):
            save_mapped(tmp_path / "file", metadata, {"a": array})
    assert list(tmp_path.iterdir()) == []


def test_no_more_threads_hash_than_there_are_cores_for_this_process(tmp_path, monkeypatch):
    monkeypatch.setattr(mapped_arrays, "BLOCK", 64)
    monkeypatch.setattr(processes, "free_memory", lambda: 10**12)
    started = watched_threads(monkeypatch)
    for cores, threads in ((1, 0), (3, 3), (100, mapped_arrays.HASHING_THREADS)):
        monkeypatch.setattr(mapped_arrays, "num_cores", lambda cores=cores: cores)
        for use in (lambda path: save_mapped(path, {}, ARRAYS), load_mapped):
            started.clear()
            use(tmp_path / "file")
            assert len(started) == threads
