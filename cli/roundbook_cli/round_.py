"""``roundbook round``: the holdings of a task."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from roundbook_cli.options import Database, Form, RoundLabel, TaskName
from roundbook_cli.output import Column, count, show, talk
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.rounds import LoggedMeasure

app = typer.Typer(no_args_is_help=True, help="Rounds: one holding of a task after another.")


def _matrices(matrices: list[LoggedMeasure]) -> str:
    return "; ".join(
        f"{each.measure} {each.topics} x {each.runs}"
        + (f" ({each.assessments})" if each.assessments != "official" else "")
        + (f" revision {each.revision}" if each.revision > 1 else "")
        + (" withdrawn" if each.withdrawn is not None else "")
        for each in matrices
    )


_COLUMNS = (
    count("ordinal", "#"),
    Column("round", "Round"),
    Column("held", "Held"),
    Column("collection", "Collection"),
    Column("status", "Status"),
    Column("matrices", "Score matrices (topics x runs)", _matrices),
)


Held = Annotated[
    datetime | None, typer.Option("--held", formats=["%Y-%m-%d"], help="The day it was held.")
]
Collection = Annotated[
    str | None,
    typer.Option(
        "--collection",
        metavar="NAME",
        help="Its document collection; rounds on different ones share no topics.",
    ),
]


@app.command(epilog="Example: roundbook round create covid round1 --held 2020-04-15")
def create(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    held: Held = None,
    collection: Collection = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record a new round, after the task's last one."""
    from roundbook.logbook.rounds import create_round

    day = held.date() if held else None
    with record(context, database) as session:
        created = create_round(session, task, round_label, day, collection)
    show(created, form, [created], _COLUMNS)


@app.command("set", epilog="Example: roundbook round set covid round1 --collection CORD-19")
def set_(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    held: Held = None,
    collection: Collection = None,
    force: Annotated[
        bool, typer.Option("--force", help="Change what is recorded, not only what is unknown.")
    ] = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record on which document collection, and when, a round was held."""
    from roundbook.logbook.rounds import set_round

    with record(context, database) as session:
        changed = set_round(
            session,
            task,
            round_label,
            held=held.date() if held else None,
            collection=collection,
            force=force,
        )
    show(changed, form, [changed], _COLUMNS)


@app.command(epilog="Example: roundbook round publish covid round1")
def publish(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    why: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="What to note beside it.")
    ] = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Publish a round for good: there is no way back, its scores then change only by --revise."""
    from roundbook.logbook.rounds import publish_round, published_at

    with record(context, database) as session:
        published = publish_round(session, task, round_label, why=why)
        again = published.status == "unchanged"
        since = published_at(session, task, round_label) if again else None
    show(published, form, [published], _COLUMNS)
    if again:
        day = f" on {since:%Y-%m-%d}" if since else ""
        lost = "; this reason was not recorded" if why else ""
        talk(f"Note: Round '{published.round}' was published already{day}{lost}.")
    else:
        talk(
            f"Round '{published.round}' is published for good: there is no way back. Its scores"
            " change only by 'roundbook log ... --revise REASON'."
        )


@app.command("list", epilog="Example: roundbook round list covid")
def list_(
    context: typer.Context,
    task: TaskName,
    form: Form = "table",
    database: Database = None,
) -> None:
    """List a task's rounds in the order they were created."""
    from roundbook.logbook.rounds import list_rounds

    with record(context, database) as session:
        listed = list_rounds(session, task)
    way_out = f"No round yet. Make one with 'roundbook round create {task} ROUND'."
    show(listed, form, listed.rounds, _COLUMNS, below=[] if listed.rounds else [way_out])
