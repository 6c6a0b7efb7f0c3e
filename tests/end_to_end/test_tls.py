"""A server reached by TLS whose certificate is checked in full."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest
from tests.conftest import DEBIAN_PROGRAMS

pytestmark = pytest.mark.debian_postgresql


def certify(room, name):
    """Make a key and a certificate that it signs itself, for a host."""
    words = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
        f" -subj /CN={name} -addext subjectAltName=DNS:{name} -keyout {name}.key -out {name}.crt"
    )
    subprocess.run(
        words.split(),
        cwd=room,
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def secured():
    """Yield a directory of certificates and the port of a server that takes only TLS."""
    root = os.geteuid() == 0
    run = ["runuser", "-u", "postgres", "--"] if root else []
    with tempfile.TemporaryDirectory(prefix="rb") as directory:
        room = Path(directory)
        certify(room, "localhost")
        certify(room, "stranger")
        password = room / "password"
        password.write_text("a/b@c")
        if root:
            for path in (room, password, room / "localhost.key"):
                shutil.chown(path, "postgres")
        data = room / "data"

        def call(program, *arguments):
            subprocess.run(
                [*run, DEBIAN_PROGRAMS / program, "-D", data, *arguments],
                cwd="/",
                check=True,
                stdout=subprocess.DEVNULL,
            )

        call("initdb", "-U", "ann", "-A", "scram-sha-256", "--pwfile", password, "-E", "UTF8", "-N")
        access = "hostssl all all all scram-sha-256\n"
        (data / "pg_hba.conf").write_text(access)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        options = (
            f"-p {port} -c listen_addresses=localhost -c unix_socket_directories='' -c fsync=off"
            f" -c ssl=on -c ssl_cert_file={room}/localhost.crt -c ssl_key_file={room}/localhost.key"
        )
        call("pg_ctl", "-w", "-l", room / "data" / "log", "-o", options, "start")
        try:
            yield room, port
        finally:
            call("pg_ctl", "-m", "immediate", "-w", "stop")


@pytest.mark.long
def test_a_certificate_that_is_checked_in_full(secured, command, write, tmp_path):
    room, port = secured

    def at(host="localhost", mode="verify-full", authority="localhost"):
        options = f"sslmode={mode}&sslrootcert={room / authority}.crt"
        return f"postgresql://ann:a%2Fb%40c@{host}:{port}/postgres?{options}"

    def run(*words, url=None):
        done = command("--database", url or at(), *words)
        assert "a/b" not in done.err
        assert "a%2Fb" not in done.err
        return done

    assert run("db", "upgrade", "--format", "json").json["status"] == "upgraded"
    assert run("db", "check", "--format", "json").json["encrypted"]
    scores = write("topic,a,b\n1,.1,.3\n2,.5,.4\n3,.5,.9\n")
    assert run("log", "t", "r", scores, "--measure", "AP", "--create").code == 0
    assert run("export", tmp_path / "record.zip").code == 0
    assert run("db", "backup", tmp_path / "record.dump").code == 0
    assert run("db", "restore", tmp_path / "record.dump", "--replace").code == 0
    assert run("task", "list", "--format", "json").json["tasks"][0]["rounds"] == 1
    for url, why in (
        (at("127.0.0.1"), 'does not match host name "127.0.0.1"'),
        (at(authority="stranger"), "certificate verify failed"),
        (at(authority="nobody"), "root certificate file"),
        (at(mode="disable"), "no encryption"),
    ):
        sentence = run("task", "list", url=url).refusal(4)
        assert "cannot be reached" in sentence
        assert why in sentence
    with psycopg.connect(at()) as connection:
        assert connection.execute(
            "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        ).fetchone()[0]
