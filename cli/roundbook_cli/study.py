"""``roundbook study``: what the scores of a round, or of files, bear."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from roundbook_cli.studies import (
    change,
    discriminative_power,
    incremental,
    leave_one_out,
    leave_teams_out,
    per_topic_variance,
    swap_rate,
    topic_subsets,
)
from roundbook_cli.studies.running import shared_out

if TYPE_CHECKING:
    from typer._click import Command, Context

_SHORT = {
    "leave-out": "leave-one-out",
    "subsets": "topic-subsets",
    "topic-variance": "per-topic-variance",
}


class _Group(TyperGroup):
    """A group whose commands go by short names too."""

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Return a command by its name."""
        return super().get_command(ctx, _SHORT.get(cmd_name, cmd_name))


class _Studies(typer.Typer):
    """A group of commands that all take the options of who does a study's work."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[..., Any]:  # noqa: ANN401
        register = super().command(name, **settings)
        return lambda function: register(shared_out(function))


app = _Studies(cls=_Group, no_args_is_help=True, help="Studies: what the scores of a round bear.")

app.command("discriminative-power", epilog=discriminative_power.EXAMPLE)(
    discriminative_power.discriminative_power
)
app.command("swap-rate", epilog=swap_rate.EXAMPLE)(swap_rate.swap_rate)
app.command("incremental", epilog=incremental.EXAMPLE)(incremental.incremental)
app.command("change", epilog=change.EXAMPLE)(change.change)
app.command("leave-one-out", epilog=leave_one_out.EXAMPLE)(leave_one_out.leave_one_out)
app.command("leave-teams-out", epilog=leave_teams_out.EXAMPLE)(leave_teams_out.leave_teams_out)
app.command("topic-subsets", epilog=topic_subsets.EXAMPLE)(topic_subsets.topic_subsets)
app.command("per-topic-variance", epilog=per_topic_variance.EXAMPLE)(
    per_topic_variance.per_topic_variance
)
