"""``roundbook round``: the rounds of a task, and what is recorded of them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from shlex import quote
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated

import typer

from roundbook.errors import RecordError
from roundbook.presentation.rounds import (
    PUBLISHED_VARIANCES,
    collection_notes,
    correct_date,
    out_of_order_notes,
    round_sentences,
)
from roundbook.presentation.runs import QRELS, UPLOADS, corrections, described_phrase
from roundbook.requests.fields import DEFAULT_ASSESSMENTS
from roundbook.requests.record import RoundVerificationRequest
from roundbook.requests.runs import DescribeTeams
from roundbook.requests.tasks import (
    CreateRound,
    ListRounds,
    PublishRound,
    RemoveRound,
    RenameRound,
    SetRound,
    ShowRound,
)
from roundbook_cli.impact import dependents_json, tell_impact
from roundbook_cli.near_names import confirm_name, refuse_file_first
from roundbook_cli.options import Database, Form, read_day
from roundbook_cli.output import (
    Column,
    ask,
    count,
    is_person_there,
    print_table,
    section,
    show,
    talk,
    talk_notes,
)
from roundbook_cli.renewal import in_one_line, refit_notes
from roundbook_cli.request_options import argument, option, request_of
from roundbook_cli.series import RoundLabel, TaskName
from roundbook_cli.session import changing, record, sessions
from roundbook_cli.ways_out import with_way_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundbook.logbook.rounds import LoggedMeasure, Round

app = typer.Typer(no_args_is_help=True)


def _matrices(matrices: list[LoggedMeasure]) -> str:
    return "; ".join(
        f"{matrix.measure} {matrix.topics} x {matrix.runs}"
        + (f" ({matrix.assessments})" if matrix.assessments != DEFAULT_ASSESSMENTS else "")
        + (f" revision {matrix.revision}" if matrix.revision > 1 else "")
        + (" withdrawn" if matrix.withdrawn is not None else "")
        for matrix in matrices
    )


def _held_notes(task: str, rounds: Sequence[Round]) -> list[str]:
    """Return the notes on dates that contradict the order of rounds, with the command for them."""
    notes = out_of_order_notes(rounds)
    if notes:
        notes[-1] = with_way_out(notes[-1], correct_date(task))
    return notes


_COLUMNS = (
    count("ordinal", "#"),
    Column("round", "Round"),
    Column("held", "Held"),
    Column("collection", "Collection"),
    Column("status", "Status"),
    Column("matrices", "Score matrices (topics x runs)", _matrices),
)


@app.command(epilog="Example: roundbook round create covid round1 --held 2020-04-15")
def create(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    held: date | None = option(CreateRound, "held", metavar="DATE", parser=read_day),
    collection: str | None = option(CreateRound, "collection", metavar="NAME"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record a new round, after the task's last one."""
    from roundbook.logbook.rounds import create_round

    request = CreateRound(task=task, round=round_label, held=held, collection=collection)
    with changing(context, database) as session:
        confirm_name(session, request.task, request.round)
        created = create_round(session, request)
    show(created, form, [created], _COLUMNS)
    talk_notes([*collection_notes(created), *_held_notes(request.task, [created])])


@app.command("set", epilog="Example: roundbook round set covid round1 --collection CORD-19")
def set_(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    held: date | None = option(CreateRound, "held", metavar="DATE", parser=read_day),
    collection: str | None = option(SetRound, "collection", metavar="NAME"),
    force: bool = option(SetRound, "force"),
    dry_run: bool = option(SetRound, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record on which document collection, and when, a round was held."""
    from roundbook.logbook.round_changes import set_round

    request = request_of(SetRound, locals(), round=round_label)
    with changing(context, database, keep=not dry_run) as session:
        changed = set_round(session, request)
    extra = {"impact": dependents_json(changed.impact)}
    show(changed, form, [changed], _COLUMNS, extra=extra)
    talk_notes([*collection_notes(changed), *_held_notes(request.task, [changed])])
    tell_impact(changed)


@app.command(epilog="Example: roundbook round rename covid roud4 round4")
def rename(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    name: str = argument(RenameRound, "name", metavar="NAME"),
    force: bool = option(RenameRound, "force"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Give a round another label, before it is published or a result rests on it."""
    from roundbook.logbook.round_changes import rename_round
    from roundbook.presentation.decisions import renamed_sentence

    request = RenameRound(task=task, round=round_label, name=name, force=force)
    with changing(context, database) as session:
        renamed = rename_round(session, request)
    show(renamed, form, [renamed], _COLUMNS)
    talk(renamed_sentence("Round", renamed.was, renamed.round))


@app.command(epilog="Example: roundbook round remove covid roud4")
def remove(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Remove a round that was made by a slip and holds no scores; those after it move up."""
    from roundbook.logbook.round_changes import remove_round

    request = RemoveRound(task=task, round=round_label)
    with changing(context, database) as session:
        removed = remove_round(session, request)
    show(removed, form, [removed], (Column("task", "Task"), Column("round", "Removed round")))


@app.command(epilog="Example: roundbook round publish covid round1")
def publish(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    reason: str | None = option(PublishRound, "reason", metavar="TEXT"),
    dry_run: bool = option(PublishRound, "dry_run"),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, on a terminal.")] = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Publish a round for good: there is no way back, and it then takes scores only by --revise.

    A revision, a withdrawn or restored matrix and further factors each change its fingerprint. On a
    terminal it asks first.
    """
    from roundbook.logbook.round_changes import publish_round
    from roundbook.presentation.decisions import published_sentences

    request = PublishRound(task=task, round=round_label, reason=reason)
    preview_request = request.model_copy(update={"dry_run": True})
    asks = not (dry_run or yes) and is_person_there()
    with sessions(context, database) as begin:
        if dry_run or asks:
            with begin(keep=False) as session:
                published = preview = publish_round(session, preview_request)
        if asks and preview.status != "unchanged":
            question = f"Publish round '{preview.round}' for good: {_matrices(preview.matrices)}?"
            if not ask(f"{question} There is no way back."):
                talk("Nothing was published.")
                raise typer.Exit(1)
        if not dry_run:
            with begin() as session:
                published = publish_round(session, request)
                if asks and preview.fingerprint != published.fingerprint:
                    raise RecordError(
                        f"Round '{preview.round}' has changed since it was shown, so nothing was"
                        " published; look at it again."
                    )
    fingerprint = published.published_fingerprint or published.fingerprint
    show(published, form, [published], _COLUMNS, below=[f"Fingerprint {fingerprint}"])
    sentences = published_sentences(published, request.reason)
    if published.status == "unchanged":
        talk_notes(sentences)
    elif dry_run:
        talk(sentences[0])
    else:
        talk(
            f"{sentences[0]} It takes scores only by 'roundbook log ... --revise REASON' now."
            " A revision, a withdrawn or restored matrix and further factors each change its"
            " fingerprint."
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

    request = ListRounds(task=task)
    with record(context, database) as session:
        listed = list_rounds(session, request)
    way_out = f"No round yet. Make one with 'roundbook round create {quote(request.task)} ROUND'."
    below = _held_notes(request.task, listed.rounds)
    show(listed, form, listed.rounds, _COLUMNS, below=below, empty=way_out)


@app.command("show", epilog="Example: roundbook round show covid round1")
def show_(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show a round with its scores, runs, relevance assessments and published variances."""
    from roundbook.logbook.round_contents import show_round
    from roundbook_cli.matrix import LISTED, brief_table

    request = ShowRound(task=task, round=round_label)
    with record(context, database) as session:
        contents = show_round(session, request)
    if form != "table":
        show(contents, form, contents.matrices, LISTED)
        return
    first, *below = round_sentences(contents)
    if not contents.matrices:
        log = f"roundbook log {quote(request.task)} {quote(contents.round)} FILE --measure M"
        below.append(f"To log scores: {log}")
    print_table(*brief_table(contents.matrices, "round"), above=[first], below=below)
    for heading, rows, columns in (
        ("Runs:", contents.uploads, UPLOADS[1:]),
        ("Relevance assessments:", contents.qrels, QRELS[1:]),
        ("Published variances:", contents.published_variances, PUBLISHED_VARIANCES),
    ):
        if rows:
            section(heading, rows=rows, columns=columns)


_CORRECTED = (Column("run", "Run"), Column("corrected", "Corrected"))
_CHANGES = tuple(Column(field, field) for field in ("run", "fact", "was", "now"))


@app.command(epilog="Example: roundbook round teams covid round1 teams.csv --revise 'wrong file'")
def teams(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    file: Path = argument(DescribeTeams, "file", metavar="FILE"),
    revise: str | None = option(DescribeTeams, "revise", metavar="REASON"),
    dry_run: bool = option(DescribeTeams, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record the teams of a round's runs from a file, or correct them with --revise.

    Scores and factors stay as they are. The intervals of variances, which count teams, are
    estimated anew.
    """
    from roundbook.logbook.teams import describe_teams
    from roundbook.presentation.decisions import described_notes, pool_corrected

    request = DescribeTeams(task=task, round=round_label, file=file, revise=revise, dry_run=dry_run)
    refuse_file_first(request.task, request.round, file)
    with changing(context, database, keep=not request.dry_run) as session:
        described = describe_teams(session, request)
    refits = refit_notes(described, described.refittable, corrected=pool_corrected(described))
    notes = [refits.get(note, note) for note in described_notes(described)]
    rows = [
        SimpleNamespace(run=run, corrected=correction)
        for run, correction in corrections(described.changes).items()
    ]
    show(
        described,
        form,
        described.changes if form == "csv" else rows,
        _CHANGES if form == "csv" else _CORRECTED,
        above=[f"{described.task}, round '{described.round}': {described_phrase(described)}."],
        extra={"notes": in_one_line(notes), "impact": dependents_json(described.impact)},
    )
    talk_notes(notes)
    tell_impact(described)


_VERIFIED = (
    Column("task", "Task"),
    Column("round", "Round"),
    Column("fingerprint", "Fingerprint"),
    Column("status", "Status"),
)


@app.command("verify", epilog="Example: roundbook round verify covid round1")
def verify_round(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    fingerprint: str | None = argument(
        RoundVerificationRequest, "fingerprint", metavar="FINGERPRINT"
    ),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare a round with its fingerprint: with the one given, else that of its publication.

    Exits with 1 where they differ, as they do once scores are corrected or factors fitted anew.
    """
    from roundbook.logbook.round_fingerprint import verify_round
    from roundbook.presentation.rounds import given_fingerprint_note

    request = RoundVerificationRequest(task=task, round=round_label, fingerprint=fingerprint)
    with record(context, database) as session:
        verified = verify_round(session, request)
    below = [] if verified.status == "same" else [f"Expected {verified.expected}"]
    if note := given_fingerprint_note(verified):
        below.append(note)
    if verified.changed_by:
        below.append("Changed since it was published by:")
        below += [
            f"  event {change.event}, {change.at:%Y-%m-%d}: {change.what}"
            for change in verified.changed_by
        ]
    show(verified, form, [verified], _VERIFIED, below=below)
    if verified.status == "different":
        raise typer.Exit(1)
