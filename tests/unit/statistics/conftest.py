"""Fewer hypothesis examples for the tests of this folder; `make nightly` tries many more."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from hypothesis import settings

EXAMPLES = 12


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Import the modules of this folder, where their tests take over the settings."""
    before = settings.get_current_profile_name()
    if before != "nightly":
        settings.register_profile("few", settings.get_profile(before), max_examples=EXAMPLES)
        settings.load_profile("few")
    try:
        return (yield)
    finally:
        settings.load_profile(before)
