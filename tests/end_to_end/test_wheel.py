"""The wheel is the whole program: installed alone into an empty environment, it runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*words, cwd, **settings):
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ROUNDBOOK_", "PYTHON", "VIRTUAL_ENV"))
    }
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=plain | settings,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, (words, done.stdout[-3000:], done.stderr[-3000:])
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel from a copy of what git would commit, or of the checkout without git."""
    copy = tmp_path_factory.mktemp("source") / "roundbook"
    if (ROOT / ".git").exists() and shutil.which("git"):
        listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        tracked = run(*listing, cwd=ROOT).stdout.split("\0")
        for name in filter(None, tracked):
            if (ROOT / name).is_file():  # not what is deleted but not yet committed
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
    else:
        unwanted = shutil.ignore_patterns(".*", "__pycache__", "_build", "build", "dist")
        shutil.copytree(ROOT, copy, ignore=unwanted)
    directory = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", directory, copy, cwd=directory)
    (built,) = directory.iterdir()
    return built


@pytest.mark.long
def test_what_is_in_it(wheel):
    assert wheel.name == f"roundbook-{version('roundbook')}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (points,) = [name for name in names if name.endswith("entry_points.txt")]
        entry_points = archive.read(points).decode()
    assert "roundbook = roundbook_cli.entry_point:main" in entry_points
    sources = {
        str(path.relative_to(ROOT / root))
        for root in ("cli", "service", "migrations")
        for path in (ROOT / root).rglob("*")
        if path.suffix in {".py", ".csv"}
    }
    assert {
        "roundbook_migrations/env.py",
        "roundbook_migrations/versions/0001_the_record.py",
    } <= sources
    assert {
        "roundbook/logbook/airs2016_table1.csv",
        "roundbook/logbook/airs2016_table2_stc.csv",
    } <= sources
    assert sources <= names
    assert {name.split("/")[0] for name in names} == {
        "roundbook",
        "roundbook_cli",
        "roundbook_migrations",
        f"roundbook-{version('roundbook')}.dist-info",
    }


@pytest.fixture
def python(tmp_path):
    """The interpreter of an empty environment."""
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    return tmp_path / "venv" / "bin" / "python"


def install(python, wheel, *options):
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    # What is imported is compiled soon enough, and most is not.
    words = (*pip, "--quiet", "install", "--no-compile", *options, wheel)
    run(*words, cwd=python.parent)
    return pip


def assert_runs(python, tmp_path):
    home, empty = tmp_path / "home", tmp_path / "empty"
    home.mkdir()
    empty.mkdir()
    roundbook = python.parent / "roundbook"
    settings = {"HOME": str(home), "ROUNDBOOK_DATA_DIR": str(tmp_path / "data")}
    assert run(roundbook, "--version", cwd=empty).stdout == f"roundbook {version('roundbook')}\n"
    where = "import roundbook, roundbook_cli as c; print(roundbook.__file__, c.__file__)"
    assert run(python, "-c", where, cwd=empty).stdout.count(str(tmp_path / "venv")) == 2
    shown = run(roundbook, "demo", cwd=empty, **settings).stdout
    assert "20 of 20 sizes" in shown
    assert "HELD: " in shown
    assert "AGED: " in shown
    assert list(empty.iterdir()) == []
    assert not (tmp_path / "data").exists()


@pytest.mark.long
def test_it_runs_beside_its_libraries(wheel, python, tmp_path):
    install(python, wheel, "--no-deps")
    (packages,) = (tmp_path / "venv").glob("lib/python3*/site-packages")
    # The libraries of this environment, but not its editable Roundbook: that is in a file of its own.
    (packages / "libraries.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    assert_runs(python, tmp_path)


@pytest.mark.slow
def test_it_runs_from_an_empty_environment(wheel, python, tmp_path):
    pip = install(python, wheel, "--constraint", ROOT / "constraints.txt")
    assert_runs(python, tmp_path)
    run(*pip, "check", cwd=tmp_path)
