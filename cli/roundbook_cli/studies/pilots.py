"""What the commands that study smaller pilots share: what they plan for, and how they print."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

from roundbook.presentation.studies import pilots as words
from roundbook.presentation.studies.common import heading
from roundbook.presentation.tables import Column
from roundbook.requests.studies import PilotRequest
from roundbook_cli.options import Format
from roundbook_cli.output import section, show
from roundbook_cli.request_options import option

if TYPE_CHECKING:
    from roundbook.logbook.studies.pilots import PilotStudy

LeastDifference = Annotated[float, option(PilotRequest, "min_d", "--min-d", metavar="D")]
PlannedRuns = Annotated[int, option(PilotRequest, "m", "--m", metavar="m")]
Alpha = Annotated[float, option(PilotRequest, "alpha", "--alpha")]
Beta = Annotated[float, option(PilotRequest, "beta", "--beta")]

_CSV = (Column("scale", "Scale"), *(Column(name, name) for name in words.LINE))


def print_pilots(
    study: PilotStudy, form: Format, extra: dict[str, Any], what: str, columns: Sequence[Column]
) -> None:
    """Print a study of smaller pilots.

    Parameters
    ----------
    extra : dict
        What JSON has besides, of which the protocol is part.
    what : str
        What the size of a pilot counts: ``teams`` or ``topics``.
    columns : sequence of Column
        Of the table.
    """
    if form != "table":
        lines = [
            SimpleNamespace(scale=scale.scale, **vars(words.row(size)))
            for scale in study.scales
            for size in scale.sizes
        ]
        show(study, form, lines, _CSV, extra=extra)
        return
    first, *others = study.scales
    above = [heading(study), *words.sentences(study, f"all {getattr(study, what)} {what}"), ""]
    if others:
        above.append(f"On {first.scale}:")
    show(study, form, list(map(words.row, first.sizes)), columns, above=above)
    for scale in others:
        section(f"On {scale.scale}:", rows=list(map(words.row, scale.sizes)), columns=columns)
    for remark in words.remarks(study, what):
        section(remark)
    section(extra["protocol"])
