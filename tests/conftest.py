"""What holds for every test: generated examples are the same in every run of the default tier, and nothing is late."""

from __future__ import annotations

import signal

import hypothesis
import pytest


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # A shell starts its background jobs so, and our children would inherit it: no test could interrupt them.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    default_tier = config.option.markexpr == "not full"
    hypothesis.settings.register_profile("renga", deadline=None, derandomize=default_tier)
    hypothesis.settings.load_profile("renga")
