"""What rests on a score matrix, or would today, in the words of all kinds of it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from roundbook.logbook.result import Result


class Dependent(Result):
    """A factor version, variance estimate, plan or drift report that rests on a score matrix.

    `stale` is whether it rests on anything that counts no more, `why` on what, and what takes its
    place if something does; `renew` is the command that renews it, None where nothing needs that,
    nothing can, or it was done. `rests` is False for a plan that does not rest on the matrix, but
    would if it were saved today.
    """

    kind: Literal["factor version", "variance estimate", "plan", "drift report"]
    name: str
    where: str
    saved_at: datetime
    saved_by: str
    stale: bool
    why: str | None
    renew: str | None
    rests: bool = True
