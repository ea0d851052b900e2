"""Ctrl-C between two calls of kernels that belong together."""

import signal

import pytest

import gamebench as gb


@pytest.mark.parametrize("method", ["_update", "step"])
def test_an_update_of_cmd_and_its_step_are_one_turn(monkeypatch, ctrl_c, method):
    """Otherwise the update would be repeated when the run goes on."""
    original = getattr(gb.algorithms.CMD, method)

    def pressed(self, game, state, *arguments):
        result = original(self, game, state, *arguments)
        if state.iteration >= 30:
            signal.raise_signal(signal.SIGINT)
        return result

    with monkeypatch.context() as patch:
        patch.setattr(gb.algorithms.CMD, method, pressed)
        with pytest.raises(gb.errors.RunInterrupted) as interrupted:
            gb.solve("Kuhn-A", "CMD", 100, measures=[])
    state = interrupted.value.result.state
    clean = gb.solve("Kuhn-A", "CMD", state.iteration, measures=[]).state
    assert 30 <= state.iteration < 100
    assert (state.policy == clean.policy).all()
    assert state.evaluated == clean.evaluated
    resumed = gb.solve("Kuhn-A", "CMD", 100, state=interrupted.value.result, measures=[]).state
    whole = gb.solve("Kuhn-A", "CMD", 100, measures=[]).state
    assert (resumed.policy == whole.policy).all()
    assert resumed.evaluated == whole.evaluated
