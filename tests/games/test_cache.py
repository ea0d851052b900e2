"""The cache on disk: used when sound, rebuilt when not, never in the way."""

import errno
import hashlib
import json
import mmap
import os
import resource
import stat

import numpy as np
import pyspiel
import pytest

import gamebench as gb
from gamebench.games.labels import Texts
from gamebench.games.loading import cache, load, openspiel
from gamebench.system import mapped_arrays
from gamebench.system.mapped_arrays import load_mapped, save_mapped


@pytest.fixture
def walks(monkeypatch):
    """A list with an entry for each tree that has been walked."""
    counted = []
    original = load.flatten

    def flatten(*args, **kwargs):
        counted.append(args[1])
        return original(*args, **kwargs)

    monkeypatch.setattr(load, "flatten", flatten)
    return counted


def test_a_game_is_walked_once(empty_cache, walks):
    first, second = gb.load_game("Kuhn"), gb.load_game("Kuhn")
    assert len(walks) == 1
    assert first.fingerprint == second.fingerprint
    assert first.labels == second.labels
    assert (first.num_histories, first.num_terminals) == (second.num_histories, second.num_terminals)
    assert first.max_abs_payoff == second.max_abs_payoff
    assert len(list(empty_cache.iterdir())) == 1


def test_one_variable_switches_it_off(tmp_path, monkeypatch, walks):
    monkeypatch.setenv("GAMEBENCH_CACHE", "off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    gb.load_game("Kuhn")
    gb.load_game("Kuhn")
    assert len(walks) == 2
    assert list(tmp_path.rglob("*")) == []


def damage_one_byte(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


def replace_by_directory(path):
    path.unlink()
    (path / "inside").mkdir(parents=True)


def changed(change):
    """Damage to the content, with a correct checksum."""

    def damage(path):
        metadata, arrays = load_mapped(path)
        change(metadata, arrays)
        save_mapped(path, metadata, arrays)

    return damage


def other(name, change):
    return changed(lambda _, arrays: arrays.update({name: change(arrays[name])}))


DAMAGES = {
    "one byte": damage_one_byte,
    "a directory": replace_by_directory,
    "another game": changed(lambda metadata, _: metadata.update(key="of another game")),
    "no fingerprint": changed(lambda metadata, _: metadata.pop("fingerprint")),
    "an array missing": changed(lambda _, arrays: arrays.pop("chance")),
    "an array too many": changed(lambda _, arrays: arrays.update(more=np.zeros(3))),
    "sequences outside of all arrays": other("last_sequences", lambda array: array + 1_000_000),
    "wide indices": other("parent_sequences", lambda array: array.astype(np.int64) + 2**40),
    "a negative zero": other("payoffs", lambda array: np.where(array == array[0, 0], -0.0, array)),
    "NaN": other("chance", lambda array: array * np.nan),
    "names that begin elsewhere": other("information_states starts", lambda array: array + 1),
    "a divided character": other("information_states buffer", lambda array: array | 0x80),
    "unknown actions": other("action_codes", lambda array: array + 100),
    "a name missing": other("action_ids", lambda array: array[1:]),
}


def test_a_damaged_or_foreign_file_is_rebuilt(empty_cache, walks, monkeypatch):
    before = gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    for mapped_from in (0, 2**60):  # whether files are mapped, or read
        monkeypatch.setattr(mapped_arrays, "MAPPED_FROM", mapped_from)
        for what, damage in DAMAGES.items():
            walks.clear()
            damage(path)
            for _ in range(2):
                assert gb.load_game("Kuhn").fingerprint == before.fingerprint
            assert len(walks) == 1, what


def test_the_key_sees_the_version_of_open_spiel(empty_cache, walks, monkeypatch):
    gb.load_game("Kuhn")
    monkeypatch.setattr(openspiel, "open_spiel_version", lambda: "99.0")
    gb.load_game("Kuhn")
    assert len(walks) == 2


def test_the_key_sees_the_content_of_files(empty_cache, walks, tmp_path):
    """The game's own file, and a file that a parameter names."""
    path, instances = tmp_path / "game.efg", tmp_path / "instances.txt"
    path.write_text(pyspiel.get_sample_efg_data())
    instances.write_text("1,2,3 8,1,0 4,0,2\n")
    names = (path, f"bargaining(max_turns=1,instances_file={instances})")
    before = [gb.load_game(name).fingerprint for name in names]
    path.write_text(pyspiel.get_sample_efg_data().replace("10.000000", "11.000000"))
    instances.write_text("1,2,3 4,0,2 8,1,0\n")
    for name, fingerprint in zip(names, before, strict=True):
        assert gb.load_game(name).fingerprint != fingerprint
    assert len(walks) == 4


def test_a_game_written_in_python_is_not_cached(empty_cache, walks):
    """Its code may change while its name and OpenSpiel's version stay the same."""
    gb.load_game("python_kuhn_poker")
    gb.load_game("python_kuhn_poker")
    assert len(walks) == 2


def test_a_folder_that_cannot_be_used_costs_at_most_a_warning(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("GAMEBENCH_CACHE", "~nobody-of-this-name/cache")
    assert gb.load_game("Kuhn").num_decision_points == 48
    monkeypatch.setattr("gamebench.system.files.os.fsync", _refuse)
    for folder in ("file", "a" * 300, "cache"):
        monkeypatch.setenv("GAMEBENCH_CACHE", folder)
        with pytest.warns(RuntimeWarning, match="GAMEBENCH_CACHE"):
            assert gb.load_game("Kuhn").num_decision_points == 48


def _refuse(_):
    raise PermissionError(13, "Permission denied")


def test_a_disk_that_fills_up_midway_costs_only_a_warning(empty_cache):
    """Wherever writing fails, no file is left behind, and the game is complete."""
    gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    size, limits = path.stat().st_size, resource.getrlimit(resource.RLIMIT_FSIZE)
    path.unlink()
    for room in (0, size // 100, size // 2, size - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
        try:
            with pytest.warns(RuntimeWarning, match=r"cannot be written \(File too large\)"):
                game = gb.load_game("Kuhn")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert not list(empty_cache.iterdir())
        assert independent_fingerprint(game) == game.fingerprint == gb.catalogue.PAPER_GAMES["Kuhn"].fingerprint


def test_a_damaged_file_that_cannot_be_removed_is_replaced_or_reported(empty_cache, monkeypatch):
    gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    path.write_bytes(b"something else")
    monkeypatch.setattr(cache, "remove", lambda path: None)
    gb.load_game("Kuhn")
    assert path.stat().st_size > 1000
    path.write_bytes(b"something else")
    monkeypatch.setattr("gamebench.system.files.os.fsync", _refuse)
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        gb.load_game("Kuhn")


FOR_THE_MOMENT = [MemoryError(), OSError(errno.EMFILE, "Too many open files"), RuntimeError("can't start new thread")]
FOR_EVER = [OSError(errno.EIO, "Input/output error"), RuntimeError("something else")]


def test_whatever_the_reader_raises_costs_only_a_rebuild(empty_cache, walks, monkeypatch):
    """A temporary shortage does not remove the file, which may have taken minutes to make."""
    gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    original = cache.load_mapped

    def fail_once(path):
        monkeypatch.setattr(cache, "load_mapped", original)
        raise error

    for error in (*FOR_THE_MOMENT, *FOR_EVER):
        walks.clear()
        before, kept = path.stat().st_ino, path.with_suffix(".link")
        kept.hardlink_to(path)  # so that the number of the file is not used again
        monkeypatch.setattr(cache, "load_mapped", fail_once)
        assert gb.load_game("Kuhn").fingerprint == gb.catalogue.PAPER_GAMES["Kuhn"].fingerprint
        assert len(walks) == 1
        assert (path.stat().st_ino == before) == (error in FOR_THE_MOMENT)
        kept.unlink()


def test_files_are_as_readable_as_any_other(empty_cache):
    gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_the_budget_holds_for_cached_games_too(empty_cache):
    gb.load_game("Kuhn")
    with pytest.raises(gb.errors.GameTooLargeError, match="budget of 600"):
        gb.load_game("Kuhn", max_histories=600)


def independent_fingerprint(game):
    """The digest of the arrays and of the JSON of all names, computed from one large string."""
    digest = hashlib.sha256()
    for array in game.sequence_form.arrays().values():
        digest.update(repr(array.shape).encode() + array.tobytes())
    names = [list(game.labels.information_states), list(game.labels.actions), list(game.labels.action_ids)]
    digest.update(json.dumps([game.teams, *names]).encode())
    return digest.hexdigest()[:16]


def test_the_stored_fingerprint_is_that_of_the_content(empty_cache, walks):
    inside = "turn_based_simultaneous_game(game=goofspiel(players=2,num_cards=3,imp_info=True))"
    for name in ("Kuhn", "Leduc", "MCCKuhn-A", "TradeComm", inside):
        walks.clear()
        first, second = gb.load_game(name), gb.load_game(name)
        assert len(walks) == (name != "MCCKuhn-A")  # the same tree as that of Kuhn
        assert first.fingerprint == second.fingerprint == independent_fingerprint(second)
        if name in gb.catalogue.PAPER_GAMES:
            assert second.fingerprint == gb.catalogue.PAPER_GAMES[name].fingerprint
            assert gb.with_focal(second, 0).fingerprint == independent_fingerprint(gb.with_focal(second, 0))


def test_a_mapped_game_outlives_its_file(empty_cache, monkeypatch):
    monkeypatch.setattr(mapped_arrays, "MAPPED_FROM", 0)
    game, expected = gb.load_game("Kuhn"), gb.load_game("Kuhn-A").fingerprint
    for array in (*game.sequence_form.arrays().values(), game.labels.information_states.buffer):
        assert isinstance(array.base, mmap.mmap)
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    for path in empty_cache.iterdir():
        path.unlink()
    assert independent_fingerprint(game) == gb.catalogue.PAPER_GAMES["Kuhn"].fingerprint
    assert gb.load_game("Kuhn-A").fingerprint == expected


def test_a_file_of_another_process_is_kept(empty_cache, monkeypatch):
    """That process may have mapped it."""
    original = load.flatten

    def flatten(*args, **kwargs):
        game = original(*args, **kwargs)
        cache.write(cache.path_of(openspiel.ingredients(args[0], game.source)), game)
        [path] = empty_cache.iterdir()
        numbers.append(path.stat().st_ino)
        return game

    numbers = []
    monkeypatch.setattr(load, "flatten", flatten)
    gb.load_game("kuhn_poker")
    [path] = empty_cache.iterdir()
    assert [path.stat().st_ino] == numbers


def test_names_are_not_read_by_loading_solving_and_measuring(empty_cache, monkeypatch):
    gb.load_game("leduc_poker")
    original = Texts.some

    def some(texts, begin, end):
        assert len(texts) < 10, "an information state is decoded"  # the table of action names has three
        return original(texts, begin, end)

    monkeypatch.setattr(Texts, "some", some)
    monkeypatch.setattr(gb.Game, "decision_points", None)
    monkeypatch.setattr(load, "flatten", None)
    game = gb.load_game("leduc_poker")
    result = gb.solve(game, "CFR", 10)
    assert gb.evaluate(game, result.policy, "NashConv") == result.curve.last["NashConv"]
    assert game.category == "zero-sum"
    with pytest.raises(AssertionError, match="decoded"):
        game.labels.information_states[0]
