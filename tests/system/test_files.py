"""Files of arrays: what is read is what was written, and no file takes more memory than it has bytes."""

import errno
import io
import json
import os
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest

import gamebench as gb
from gamebench.system import files
from gamebench.system.files import DamagedFileError, arrays_as_bytes, load_arrays, parse_json, save_arrays
from tests.patience import HANG


def npy(shape, dtype="<f8", data=b""):
    """A ``.npy`` file with an arbitrary header."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"shape": shape, "fortran_order": False, "descr": dtype})
    return buffer.getvalue() + data


def header(metadata="{}"):
    """The member that describes the contents of the file."""
    buffer = io.BytesIO()
    text = json.dumps({"metadata": metadata, "checksum": "unknown"}).encode()
    np.save(buffer, np.frombuffer(text, dtype=np.uint8))
    return buffer.getvalue()


def test_arrays_of_every_kind_come_back(tmp_path):
    arrays = {
        "matrix": np.arange(6.0).reshape(2, 3),
        "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "empty": np.zeros((0, 3)),
        "one": np.array(3.5),
        "texts": np.array(["a", "bc"]),
        "truth": np.array([True, False]),
        "large": np.arange(300_000, dtype=np.int64),
    }
    save_arrays(tmp_path / "file.npz", {"x": [1, "y"]}, arrays)
    metadata, found = load_arrays(tmp_path / "file.npz")
    assert metadata == {"x": [1, "y"]}
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].flags.writeable


def compressed(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("probabilities.npy", npy((64 * 2**17,), data=bytes(64 * 2**20)))
        archive.writestr("header.npy", header())


def with_large_header(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("probabilities.npy", npy((10**12,), data=bytes(8)))
        archive.writestr("header.npy", header())


def with_the_same_bytes_many_times(path):
    """Many members, all at the same place in the file."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a0.npy", npy((2**17,), data=bytes(2**20)))
        archive.writestr("header.npy", header())
        first = archive.infolist()[0]
        for number in range(1, 64):
            again = zipfile.ZipInfo(f"a{number}.npy")
            for name in ("header_offset", "file_size", "compress_size", "CRC"):
                setattr(again, name, getattr(first, name))
            archive.filelist.append(again)


@pytest.mark.parametrize("make", [compressed, with_large_header, with_the_same_bytes_many_times])
def test_a_small_file_does_not_fill_the_memory(make, tmp_path):
    path = tmp_path / "file.npz"
    make(path)
    assert path.stat().st_size < 2 * 2**20
    tracemalloc.start()
    try:
        with pytest.raises(DamagedFileError, match=r"is damaged or is not a GameBench file$"):
            load_arrays(path)
        assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    finally:
        tracemalloc.stop()
    game = gb.load_game("Kuhn")
    with pytest.raises(
        gb.errors.PolicyError, match=r"The policy cannot be loaded: .* is damaged or is not a GameBench file"
    ):
        gb.Policy.load(path, game)
    with pytest.raises(
        gb.errors.StateError, match=r"The state cannot be loaded: .* is damaged or is not a GameBench file"
    ):
        gb.solve(game, "CFR", 5, state=path)


def test_members_that_are_no_arrays_of_ours(tmp_path):
    path = tmp_path / "file.npz"
    for members in [
        {"a.npy": npy((1,), "|O", b"cos\nsystem\n.")},
        {"a.npy": npy((10**15,), "|V0")},
        {"a.npy": npy((-1, -1), data=bytes(8))},
        {"a.npy": b"\x93NUMPY\x01\x00\xff\xff" + b"-" * 0xFFFF},
        {"a.npy": b"no array"},
        {"a.npy": npy((1,), data=bytes(8)), "a": npy((1,), data=bytes(8))},
        {"header.npy": header("[" * 100_000)},
        {},
    ]:
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in {"header.npy": header(), **members}.items() if members else ():
                archive.writestr(name, content)
        with pytest.raises(DamagedFileError):
            load_arrays(path)


def test_every_bit_of_an_array_file_counts(tmp_path):
    """In the arrays and their headers; a few bytes of the container carry no information."""
    arrays, path = {"a": np.array([0.25, 0.75])}, tmp_path / "file.npz"
    sound = arrays_as_bytes({"x": 1}, arrays)
    for position in range(len(sound)):
        path.write_bytes(sound[:position] + bytes([sound[position] ^ 0x10]) + sound[position + 1 :])
        try:
            metadata, found = load_arrays(path)
        except DamagedFileError:
            continue
        assert (metadata, found["a"].tolist()) == ({"x": 1}, [0.25, 0.75])


def test_json_that_is_nested_too_deeply_is_refused():
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json("[" * 200_000)
    assert parse_json(b'{"a": [1]}') == {"a": [1]}


def test_silence_within_silence_and_of_two_threads():
    """Run in a separate process, since its stderr is affected."""
    script = """if True:
        import os, threading
        from gamebench.system.files import silenced
        def work():
            with silenced(2):
                entered.set()
                os.write(2, b"from another thread")
        entered, other = threading.Event(), threading.Thread(target=work)
        with silenced(2):
            other.start()
            with silenced(2):
                os.write(2, b"inside")
            os.write(2, b"too early")
            assert not entered.is_set()
        other.join()
        os.write(2, b"in time")
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=HANG)
    assert done.stderr == "in time"


def test_errors_that_are_the_fault_of_the_system():
    for shortage in (OSError(errno.EMFILE, "Too many open files"), MemoryError()):
        assert files.is_shortage(shortage)
    assert not files.is_shortage(DamagedFileError())


def test_what_killed_writers_left_is_removed_after_a_day(tmp_path):
    names = f".a.npz.{'0' * 2 * files.TOKEN}", f".b.npz.{'f' * 2 * files.TOKEN}", ".of.somebody.else", "a.npz"
    for name in names:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / names[1]).touch()  # is being written
    files.remove_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*names[1:]}
