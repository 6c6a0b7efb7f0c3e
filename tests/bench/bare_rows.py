"""One row a score in a bare table, copied in binary: what a score matrix is compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sqlalchemy import Engine, text

from roundbook.database.engine import unit_of_work

_ROW = np.dtype(
    [
        ("fields", ">i2"),
        ("run_bytes", ">i4"),
        ("run", ">i8"),
        ("topic_bytes", ">i4"),
        ("topic", ">i8"),
        ("score_bytes", ">i4"),
        ("score", ">f8"),
    ]
)
_SIGNATURE = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
_TRAILER = b"\xff\xff"
_PIECE = 2**22


def make_bare_table(engine: Engine) -> None:
    """Make the table, empty if it is there."""
    with unit_of_work(engine) as connection:
        connection.execute(text("DROP TABLE IF EXISTS public.bare"))
        connection.execute(
            text("CREATE TABLE public.bare (run bigint, topic bigint, score float8)")
        )
        connection.commit()


def copy_bare_rows(engine: Engine, scores: ArrayLike) -> None:
    """Copy (runs, topics) scores into the table, in place of what it holds."""
    scores = np.asarray(scores, dtype=np.float64)
    runs, topics = scores.shape
    rows = np.zeros(scores.size, _ROW)
    rows["fields"] = 3
    rows["run_bytes"] = rows["topic_bytes"] = rows["score_bytes"] = 8
    rows["run"] = np.repeat(np.arange(runs), topics)
    rows["topic"] = np.tile(np.arange(topics), runs)
    rows["score"] = scores.ravel()
    stream = memoryview(rows.tobytes())
    with unit_of_work(engine) as connection:
        connection.execute(text("TRUNCATE public.bare"))
        with (
            connection.connection.driver_connection.cursor() as cursor,
            cursor.copy("COPY public.bare FROM STDIN (FORMAT binary)") as copy,
        ):
            copy.write(_SIGNATURE)
            for start in range(0, len(stream), _PIECE):
                copy.write(stream[start : start + _PIECE])
            copy.write(_TRAILER)
        connection.commit()


def read_bare_rows(engine: Engine, size: int) -> NDArray[np.float64]:
    """Return the (size,) scores of the table."""
    with unit_of_work(engine) as connection:
        with (
            connection.connection.driver_connection.cursor() as cursor,
            cursor.copy("COPY public.bare TO STDOUT (FORMAT binary)") as copy,
        ):
            stream = b"".join(copy)
        rows = np.frombuffer(stream, _ROW, size, len(_SIGNATURE))
        return np.ascontiguousarray(rows["score"], dtype=float)
