"""``roundbook round``: the holdings of a task."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from roundbook.requests.tasks import CreateRound, ListRounds, PublishRound, SetRound
from roundbook_cli import verify
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, show, talk
from roundbook_cli.request_options import argument, default, option
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.rounds import LoggedMeasure

app = typer.Typer(no_args_is_help=True, help="Rounds: one holding of a task after another.")


def _matrices(matrices: list[LoggedMeasure]) -> str:
    return "; ".join(
        f"{matrix.measure} {matrix.topics} x {matrix.runs}"
        + (f" ({matrix.assessments})" if matrix.assessments != "official" else "")
        + (f" revision {matrix.revision}" if matrix.revision > 1 else "")
        + (" withdrawn" if matrix.withdrawn is not None else "")
        for matrix in matrices
    )


_COLUMNS = (
    count("ordinal", "#"),
    Column("round", "Round"),
    Column("held", "Held"),
    Column("collection", "Collection"),
    Column("status", "Status"),
    Column("matrices", "Score matrices (topics x runs)", _matrices),
)


TaskName = Annotated[str, argument(CreateRound, "task", metavar="TASK")]
RoundLabel = Annotated[str, argument(CreateRound, "round", metavar="ROUND")]
Held = Annotated[datetime | None, option(CreateRound, "held", "--held", formats=["%Y-%m-%d"])]
Collection = Annotated[
    str | None, option(CreateRound, "collection", "--collection", metavar="NAME")
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

    request = CreateRound(
        task=task,
        round=round_label,
        held=held.date() if held else None,
        collection=collection,
    )
    with record(context, database) as session:
        created = create_round(session, request)
    show(created, form, [created], _COLUMNS)


@app.command("set", epilog="Example: roundbook round set covid round1 --collection CORD-19")
def set_(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    held: Held = None,
    collection: Collection = None,
    force: Annotated[bool, option(SetRound, "force", "--force")] = default(SetRound, "force"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record on which document collection, and when, a round was held."""
    from roundbook.logbook.rounds import set_round

    request = SetRound(
        task=task,
        round=round_label,
        held=held.date() if held else None,
        collection=collection,
        force=force,
    )
    with record(context, database) as session:
        changed = set_round(session, request)
    show(changed, form, [changed], _COLUMNS)


@app.command(epilog="Example: roundbook round publish covid round1")
def publish(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    reason: Annotated[
        str | None, option(PublishRound, "reason", "--reason", metavar="TEXT")
    ] = default(PublishRound, "reason"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Publish a round for good: there is no way back, its scores then change only by --revise."""
    from roundbook.logbook.rounds import publish_round

    with record(context, database) as session:
        published = publish_round(
            session, PublishRound(task=task, round=round_label, reason=reason)
        )
    show(published, form, [published], _COLUMNS, below=[f"Fingerprint {published.fingerprint}"])
    if published.status == "unchanged":
        day = f" on {published.published_at:%Y-%m-%d}" if published.published_at else ""
        lost = "; this reason was not recorded" if reason else ""
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
        listed = list_rounds(session, ListRounds(task=task))
    way_out = f"No round yet. Make one with 'roundbook round create {task} ROUND'."
    show(listed, form, listed.rounds, _COLUMNS, below=[] if listed.rounds else [way_out])


verify.attach_to_round(app)
