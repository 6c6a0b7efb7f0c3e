"""Command lines in processes of their own, and what a command line did, as tests ask for it."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from typing import Any, NamedTuple

PROGRAM = (sys.executable, "-c", "from roundbook_cli.entry_point import main; main()")


def environment(**settings: object) -> dict[str, str]:
    """Return this environment with these settings of Roundbook and no others."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ROUNDBOOK_") or name == "ROUNDBOOK_CONFIG"
    }
    return plain | {f"ROUNDBOOK_{name.upper()}": str(value) for name, value in settings.items()}


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        assert self.code == 0, self
        return self.out.splitlines()

    @property
    def table(self) -> list[dict[str, str]]:
        """The rows of what was printed as CSV."""
        assert self.code == 0, self
        return list(csv.DictReader(io.StringIO(self.out)))

    @property
    def usage_error(self) -> str:
        """The sentence on a command line that was refused, on one line."""
        assert (self.code, self.out) == (2, ""), self
        assert self.err.startswith("Usage: roundbook"), self
        return " ".join(self.err.replace("│", " ").split())

    def refusal(self, code: int = 1) -> str:
        """Return the one sentence with which the command refused, and said nothing else."""
        assert self.code == code, self
        assert self.out == "", self
        assert "Traceback" not in self.err, self
        (line,) = self.err.splitlines()
        start, sentence = line[:7], line[7:]
        assert start == "Error: ", self
        assert len(sentence.split()) >= 4, self
        return sentence
