"""``roundbook db verify`` and ``roundbook round verify``: the record against its sources."""

from __future__ import annotations

import typer

from roundbook.requests.record import RoundVerificationRequest, VerifyRequest
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, progress, show
from roundbook_cli.request_options import argument, option
from roundbook_cli.series import RoundLabel, TaskName
from roundbook_cli.session import record

of_db, of_round = typer.Typer(), typer.Typer()

_ROUND = (
    Column("task", "Task"),
    Column("round", "Round"),
    Column("fingerprint", "Fingerprint"),
    Column("status", "Status"),
)


@of_db.command(epilog="Example: roundbook db verify --task covid")
def verify(
    context: typer.Context,
    task: str | None = option(VerifyRequest, "task", "--task", metavar="TASK"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compute everything that is derived again and compare it with what is stored.

    Content hashes, factors, variances and what their intervals rest on are computed from the
    scores, and saved results from what they rest on; events are compared with what they refer
    to. Exits with 1 where anything differs.
    """
    from roundbook.logbook.verifying.record import verify_record
    from roundbook.presentation.record import (
        KINDS,
        difference_sentence,
        not_computed_sentences,
    )

    request = VerifyRequest(task=task)
    with record(context, database) as session, progress("Verifying ...") as step:
        verification = verify_record(session, request, step)
    verified = {
        "score matrices": verification.matrices,
        "factor versions": verification.factor_sets,
        "variances": verification.variances,
        "saved results": verification.results,
        "events": verification.events,
    }
    if verification.uploads or verification.qrels:
        verified["uploads of runs"] = verification.uploads
        verified["sets of relevance assessments"] = verification.qrels
    show(
        verification,
        form,
        verification.differences,
        (
            Column("kind", "What", lambda kind: KINDS[kind]),
            count("count", "Differ"),
            Column("first", "First", difference_sentence),
        ),
        above=[f"Verified: {', '.join(f'{noun} {size:,}' for noun, size in verified.items())}."],
        below=[
            *([] if verification.differences else ["Nothing differs."]),
            *not_computed_sentences(verification),
        ],
    )
    if verification.differences:
        raise typer.Exit(1)


@of_round.command("verify", epilog="Example: roundbook round verify covid round1")
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

    request = RoundVerificationRequest(task=task, round=round_label, fingerprint=fingerprint)
    with record(context, database) as session:
        verified = verify_round(session, request)
    below = [] if verified.status == "same" else [f"Expected {verified.expected}"]
    if verified.changed_by:
        below.append("Changed since it was published by:")
        below += [
            f"  event {change.event}, {change.at:%Y-%m-%d}: {change.what}"
            for change in verified.changed_by
        ]
    show(verified, form, [verified], _ROUND, below=below)
    if verified.status == "different":
        raise typer.Exit(1)
