"""Enable Ctrl-C in tests, even in a background process, which shells start without it."""

import signal

import pytest


@pytest.fixture
def ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
