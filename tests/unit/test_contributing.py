"""What contributors are told to run is there, on their machines and on the hosted runner."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md"])
def test_the_make_targets_are_there(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", (ROOT / page).read_text())) <= targets


def test_the_hooks_are_local():
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"
    for hook in repository["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].startswith(".venv/bin/")
    commands = {hook["entry"].removeprefix(".venv/bin/") for hook in repository["hooks"]}
    assert commands == {"ruff check", "ruff format --check", "mypy", "lint-imports --no-cache"}


def test_the_hosted_runner_runs_what_everybody_runs():
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    job = workflow["jobs"]["ci"]
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.13"]
    last = job["steps"][-1]["run"]
    assert "ROUNDBOOK_SHARED=" in last
    assert last.endswith("/.ci/run")
    assert os.access(ROOT / ".ci/run", os.X_OK)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/extending.md"])
def test_the_files_that_contributors_are_sent_to_are_there(page):
    roots = (ROOT, ROOT / "service/roundbook", ROOT / "cli")
    named = set(re.findall(r"`([\w.]+/[\w/.]+\.(?:py|md))`", (ROOT / page).read_text()))
    assert len(named) > 5
    assert [name for name in named if not any((root / name).exists() for root in roots)] == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/extending.md"])
def test_the_names_that_contributors_are_sent_to_are_there(page):
    named = set(re.findall(r"`(\w*[_A-Z]\w*)`", (ROOT / page).read_text()))
    sources = (path for top in ("service", "cli", "tests") for path in (ROOT / top).rglob("*.py"))
    known = {name for path in sources for name in re.findall(r"\w+", path.read_text("utf-8"))}
    assert named - known == set()
