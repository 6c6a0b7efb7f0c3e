"""The program where there is no POSIX: what Windows lacks is taken away, and it runs on a server."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.outcomes import environment

# These first: their modules for Linux need what their modules for Windows do not.
WITHOUT = """
import os, sys, platformdirs, platformdirs.unix, psutil
for name in ("fcntl", "pwd", "grp", "termios", "resource", "pty"):
    sys.modules[name] = None
for name in ("getuid", "geteuid", "getgid", "fork", "setsid", "getpgid", "killpg", "chown"):
    delattr(os, name)
"""
IMPORT_ALL = """
import importlib, pkgutil
import roundbook, roundbook_cli, roundbook_migrations
for package in (roundbook, roundbook_cli, roundbook_migrations):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith(".env"):  # which migrates when it is imported
            importlib.import_module(module.name)
"""
RUN = "from roundbook_cli.entry_point import main; main()"


@pytest.mark.one_server
@pytest.mark.long
def test_it_imports_and_runs_on_a_server_without_posix(address, write, tmp_path):
    write("topic,a,b\n1,.1,.2\n2,.3,.9\n3,.2,.2\n")

    def call(program, *words, **settings):
        return subprocess.run(
            [sys.executable, "-c", WITHOUT + program, *words],
            cwd=tmp_path,
            env=environment(**settings),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    imported = call(IMPORT_ALL)
    assert (imported.returncode, imported.stderr) == (0, "")
    log = ("log", "t", "r", "scores.csv", "--measure", "AP", "--create")
    logged = call(RUN, *log, database_url=address)
    assert logged.returncode == 0, logged
    shown = call(RUN, "variance", "show", "t", "--measure", "AP", database_url=address)
    assert "t: AP, raw scale" in shown.stdout, shown
    refused = call(RUN, "task", "list", data_dir=tmp_path)
    assert (refused.returncode, refused.stdout) == (4, "")
    assert refused.stderr == (
        "Error: Roundbook runs no embedded server on this system; name a PostgreSQL server in"
        " ROUNDBOOK_DATABASE_URL.\n"
    )
