"""``roundbook topic``: the topics of a task, and the other ids under which they returned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from roundbook.requests.tasks import AliasTopics, ListTopics, UnaliasTopic
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, show, talk
from roundbook_cli.renewal import renewal_of_task
from roundbook_cli.request_options import argument, option
from roundbook_cli.session import changing, record

if TYPE_CHECKING:
    from roundbook.logbook.topics import AliasedTopics, UnaliasedTopic

app = typer.Typer(no_args_is_help=True)


_OTHER_IDS = (Column("topic", "Topic"), Column("id", "Other id"))
_TOPICS = (
    Column("topic", "Topic"),
    Column("aliases", "Other ids", ", ".join),
    Column(
        "rounds",
        "Id in each round",
        lambda rounds: ", ".join(f"{entry.round}: {entry.id}" for entry in rounds),
    ),
)


@app.command(epilog="Example: roundbook topic alias longeval core.csv")
def alias(
    context: typer.Context,
    task: str = argument(AliasTopics, "task", metavar="TASK"),
    file: Path = argument(AliasTopics, "file", metavar="FILE"),
    dry_run: bool = option(AliasTopics, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Declare topics that returned under another id, so that rounds share them.

    Scores keep the ids of their files; rounds logged before and after are compared by the topics.
    """
    from roundbook.logbook.topics import alias_topics
    from roundbook.presentation.decisions import aliased_sentence

    request = AliasTopics(task=task, file=file, dry_run=dry_run)
    with changing(context, database, keep=not dry_run) as session:
        aliased = alias_topics(session, request)
    show(aliased, form, aliased.aliases, _OTHER_IDS)
    talk(aliased_sentence(aliased))
    _tell_stale(aliased)


@app.command(epilog="Example: roundbook topic unalias longeval q072217124")
def unalias(
    context: typer.Context,
    task: str = argument(AliasTopics, "task", metavar="TASK"),
    name: str = argument(UnaliasTopic, "name", metavar="ID"),
    dry_run: bool = option(UnaliasTopic, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Let an id be a topic of its own again, where it was declared by mistake."""
    from roundbook.logbook.topics import unalias_topic
    from roundbook.presentation.decisions import unaliased_sentence

    request = UnaliasTopic(task=task, name=name, dry_run=dry_run)
    with changing(context, database, keep=not dry_run) as session:
        unaliased = unalias_topic(session, request)
    show(unaliased, form, [unaliased], _OTHER_IDS)
    talk(unaliased_sentence(unaliased))
    _tell_stale(unaliased)


def _tell_stale(changed: AliasedTopics | UnaliasedTopic) -> None:
    from roundbook.presentation.decisions import DRY_RUN, stale_by_topics

    if changed.dry_run:
        talk(DRY_RUN)
    if sentence := stale_by_topics(changed):
        talk(f"{sentence} '{renewal_of_task(changed.task)}' renews what is stale.")


@app.command("list", epilog="Example: roundbook topic list longeval --aliased")
def list_(
    context: typer.Context,
    task: str = argument(AliasTopics, "task", metavar="TASK"),
    measure: str | None = option(ListTopics, "measure", metavar="M"),
    assessments: str | None = option(ListTopics, "assessments", metavar="LABEL"),
    aliased: bool = option(ListTopics, "aliased"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """List a task's topics, their other ids, and the rounds that scored them."""
    from roundbook.logbook.topics import list_topics

    request = ListTopics(task=task, measure=measure, assessments=assessments, aliased=aliased)
    with record(context, database) as session:
        listed = list_topics(session, request)
    empty = "No topic yet: they come with scores, which 'roundbook log' takes."
    if request.measure or request.assessments:
        empty = "No topic has such scores."
    if request.aliased:
        empty = "No topic has another id. Declare some with 'roundbook topic alias TASK FILE'."
    show(listed, form, listed.topics, _TOPICS, empty=empty)
