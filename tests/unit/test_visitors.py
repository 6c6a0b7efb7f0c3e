"""What a visitor without a token sees of a task that has drafts too."""

from __future__ import annotations

from roundbook.logbook.rounds import PublishedPart
from roundbook.logbook.tasks import Task

# They are of the task itself, and say nothing of its drafts.
OF_NO_ROUND = {"task", "title", "created_at"}


def test_what_is_told_of_a_task_s_rounds_is_of_the_published_ones():
    assert Task.model_fields.keys() - OF_NO_ROUND == set(PublishedPart._fields)
