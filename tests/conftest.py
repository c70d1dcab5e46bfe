"""What holds for every test: generated examples are the same in every run of the default tier, and nothing is late."""

from __future__ import annotations

import hypothesis
import pytest


def pytest_configure(config: pytest.Config) -> None:
    default_tier = config.option.markexpr == "not full"
    hypothesis.settings.register_profile("renga", deadline=None, derandomize=default_tier)
    hypothesis.settings.load_profile("renga")
