"""Sentences, headings and columns that studies have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from roundbook.logbook.studies.studies import find_entry
from roundbook.presentation.matrices import hidden_notes
from roundbook.presentation.phrases import listed, under_label
from roundbook.presentation.tables import Column, Table
from roundbook.requests.fields import ROUNDING

if TYPE_CHECKING:
    from roundbook.logbook.studies.study import Study

_MOST_FILES = 3
# Runs usually have this many ranks: lists that end before were cut.
_WHOLE_LIST = 1000
SCALE = Column("scale", "Scale")


class StudyText(NamedTuple):
    """The sentences and tables of a study, in the order in which they are read."""

    heading: str
    sentences: list[str]
    tables: list[Table]
    remarks: list[str]
    protocol: str

    @property
    def main(self) -> Table:
        """The table that CSV and data frames hold."""
        return next(table for table in self.tables if table.main)


def study_module(name: str) -> Any:  # noqa: ANN401
    """Return the module of a study: its `FIGURE`, `sentences`, `tables` and `protocol`.

    `FIGURE` is the name of its main figure in lists of results, and the figure's format.
    """
    return import_module(f"{__package__}.{find_entry(name).module}")


def study_heading(study: Study) -> str:
    """Return the heading of a study: its own, or the one that studies of a round have."""
    text: str = getattr(study_module(study.study), "heading", heading)(study)
    return text


def study_text(study: Study) -> StudyText:
    """Return the sentences and tables of a study."""
    module = study_module(study.study)
    return StudyText(
        study_heading(study),
        module.sentences(study),
        module.tables(study),
        getattr(module, "remarks", lambda _: [])(study) + hidden_notes(study.hidden),
        module.protocol(study),
    )


def of_scales(
    scales: Iterable[Any], rows: Callable[[Any], Iterable[object]]
) -> list[SimpleNamespace]:
    """Return the rows of all scales, each with its scale; `rows` returns those of one scale."""
    return [
        SimpleNamespace(**{"scale": scale.scale} | vars(row))
        for scale in scales
        for row in rows(scale)
    ]


def by_scale(scales: Iterable[Any], phrase: Callable[[Any], str]) -> str:
    """Return a phrase on every scale: once if it is the same on all, else with each scale's name."""
    phrases = {scale.scale: phrase(scale) for scale in scales}
    if len(set(phrases.values())) == 1:
        return next(iter(phrases.values()))
    return ", ".join(f"{text} on {scale}" for scale, text in phrases.items())


def computed_scores(study: Any, depth: int | None) -> list[str]:  # noqa: ANN401
    """Return sentences on scores computed from runs: of lists that end early, not the logged ones.

    `depth` is the rank at which the longest list ends.
    """
    lines = []
    lists = "" if depth is None else f", whose lists end at rank {depth} at the latest"
    if depth is not None and ends_early(study.measure, depth):
        lists = ""
        lines.append(
            f"Lists end at rank {depth}: this is {study.measure} at {depth}, not {study.measure} of"
            " the whole list."
        )
    logged = study.logged
    if logged is None or not logged.different:
        return lines
    differ = "differs" if logged.different == 1 else "differ"
    return [
        *lines,
        f"These scores are computed from the runs{lists}. {logged.different:,} of"
        f" {logged.cells:,} logged scores (matrix {logged.matrix}, revision {logged.revision})"
        f" {differ} from them by more than {ROUNDING:g}, by up to {logged.largest:.2g}; what is said"
        " here is not of the logged ones.",
    ]


def ends_early(measure: str, depth: int) -> bool:
    """Return whether lists that end at rank `depth` are too short for a measure of whole lists."""
    return depth < _WHOLE_LIST and "@" not in measure


def percent(share: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.1f}%"


def share_column(field: str, heading: str, *, spare: int = 0) -> Column:
    """Return a column of shares, as percentages."""
    return Column(field, heading, percent, "right", spare)


def heading(study: Study) -> str:
    """Return the heading of a study: its task, round or files, measure, assessments and size."""
    size = f"{study.runs} runs on {study.topics} topics"
    if study.round is None and not study.files:
        return f"{study.task}, all rounds: {study.measure}, {study.assessments} assessments."
    if study.files:
        return f"{listed(study.files, _MOST_FILES)}: {study.measure}, {size}."
    origin, label = f"matrix {study.matrix}", under_label(study.assessments)
    if study.matrix is None:
        label = ""
        upload = getattr(study, "upload", None)
        origin = f"runs to upload {upload}, {study.assessments} assessments"
    return (
        f"{study.task}, round '{study.round}': {study.measure}{label}, {size} ({origin},"
        f" revision {study.revision})."
    )


def join_protocol(study: Study, method: Sequence[str], *, drawn: bool = True) -> str:
    """Return the protocol of a study in one sentence: scores, scales, method and conventions.

    Where no samples are `drawn`, `method` says which factors standardise.
    """
    scales = [scale.scale for scale in getattr(study, "scales", ())]
    standardised, ties = "", "means that differ by rounding only are equal"
    if drawn:
        ties = f"means within 1e-12 of each other are equal; seed {study.seed}"
        factors = "by factors of all these runs"
        if study.factor_version is not None:
            factors = f"by factor version {study.factor_version} of the round"
        elif study.round is None and not study.files:
            factors = "by each round's own latest factors"
        standardised = "" if scales == ["raw"] else f", standardised {factors}, held fixed"
    parts = [
        heading(study).rstrip("."),
        f"scores on {', '.join(scales)}{standardised}",
        *method,
        f"{ties}; computed by {study.software}",
    ]
    return "; ".join(parts) + "."
