"""The names in a record, for doors that offer them while a person types."""

from __future__ import annotations

from sqlalchemy import text

from roundbook.database.engine import make_engine, parse_url
from roundbook.embedded.server import running_address
from roundbook.errors import RoundbookError
from roundbook.logbook.record import chosen_address
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, begin
from roundbook.settings import Settings

_SECONDS = 2  # so long a person waits for a server while typing


class TaskNames(Result):
    """A task, its rounds in order, and the measures with scores or published variances."""

    task: str
    rounds: list[str]
    measures: list[str]


class RecordNames(Result):
    """What is in a record, by name."""

    tasks: list[TaskNames]
    results: list[str]


_TASKS = text("""
    SELECT name AS task,
           ARRAY(SELECT label FROM roundbook.round WHERE task_id = task.id ORDER BY ordinal)
               AS rounds,
           ARRAY(SELECT measure.name FROM roundbook.measure WHERE measure.id IN (
               SELECT measure_id FROM roundbook.matrix
               JOIN roundbook.round ON round.id = round_id WHERE task_id = task.id
               UNION
               SELECT measure_id FROM roundbook.published_variance
               JOIN roundbook.round ON round.id = round_id WHERE task_id = task.id
           ) ORDER BY measure.name) AS measures
    FROM roundbook.task ORDER BY task.id
""")
_RESULTS = text("SELECT DISTINCT name FROM roundbook.result ORDER BY name")


def list_names(session: Session) -> RecordNames:
    """Return the names in a record."""
    return RecordNames(
        tasks=[TaskNames(**row) for row in session.connection.execute(_TASKS).mappings()],
        results=list(session.connection.execute(_RESULTS).scalars()),
    )


def list_names_if_up(settings: Settings, address: str | None = None) -> RecordNames | None:
    """Return the names in the record if its server answers; start none."""
    url = chosen_address(settings, address) or running_address(settings.data_dir / "postgres")
    if url is None:
        return None
    engine = make_engine(parse_url(url), connect_timeout=_SECONDS, lock_timeout=_SECONDS)
    try:
        with begin(engine, one_moment=True) as session:
            return list_names(session)
    except RoundbookError:
        return None
    finally:
        engine.dispose()
