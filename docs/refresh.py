"""Write anew what the commands on these pages print: ``python docs/refresh.py [PAGE ...]``.

A page may hold files (``cat > NAME <<'END'`` in a ``sh`` block) and ``console`` blocks, whose
lines after ``$`` are commands. Each page runs from top to bottom in an empty directory against
an empty record; below each command comes what it printed, on a terminal of 80 columns. The
tests run the same commands and hold the pages to them.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HEREDOC = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END$", re.DOTALL | re.MULTILINE)
WIDTH = 80
USER = "organiser"


class Command(NamedTuple):
    """A command line on a page and what the page says it prints."""

    line: str
    shown: str


def pages() -> list[Path]:
    """Return the pages with commands that are run."""
    candidates = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [page for page in candidates if "```console" in page.read_text(encoding="utf-8")]


def steps(text: str) -> Iterator[tuple[str, str] | Command]:
    """Yield a page's files, as (name, content), and its commands, in the page's order."""
    for language, body in FENCE.findall(text):
        if language == "sh":
            yield from HEREDOC.findall(body)
        elif language == "console":
            yield from commands(body)


def commands(body: str) -> list[Command]:
    """Split the body of a console block at its prompts; a backslash continues a command."""
    split: list[Command] = []
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        last = next(i for i, line in enumerate(lines) if not line.endswith("\\"))
        line = "\n".join(lines[: last + 1])
        split.append(Command(line, "\n".join(lines[last + 1 :]).strip("\n")))
    return split


def refresh(page: Path) -> None:
    """Run a page and write it anew."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as directory:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("ROUNDBOOK_")
        } | {
            "ROUNDBOOK_DATA_DIR": f"{directory}/record",
            "ROUNDBOOK_CONFIG": os.devnull,
            "ROUNDBOOK_USER": USER,
            "NO_COLOR": "1",
            "TERM": "xterm",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        work = Path(directory) / "work"
        work.mkdir()

        def block(match: re.Match[str]) -> str:
            language, body = match.groups()
            if language == "sh":
                for name, content in HEREDOC.findall(body):
                    (work / name).write_text(content, encoding="utf-8")
            if language != "console":
                return match[0]
            out = []
            for command in commands(body):
                printed = _run(command.line, work, environment)
                out.append(f"$ {command.line}\n{printed}")
            return "```console\n" + "".join(out) + "```"

        new = FENCE.sub(block, text)
    page.write_text(new, encoding="utf-8")
    sys.stdout.write(f"{page}\n")


def _run(line: str, directory: Path, environment: dict[str, str]) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, WIDTH, 0, 0))
    with tempfile.TemporaryFile() as talk:
        process = subprocess.Popen(  # noqa: S602 - the project's own pages
            line, shell=True, cwd=directory, env=environment, stdout=theirs, stderr=talk
        )
        os.close(theirs)
        printed = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # the terminal is closed
                break
            if not chunk:
                break
            printed += chunk
        process.wait()
        os.close(ours)
        talk.seek(0)
        printed += talk.read()
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed.decode().replace("\r\n", "\n"))
    return "".join(f"{line.rstrip()}\n" for line in plain.splitlines())


if __name__ == "__main__":
    for chosen in [Path(name) for name in sys.argv[1:]] or pages():
        refresh(chosen)
