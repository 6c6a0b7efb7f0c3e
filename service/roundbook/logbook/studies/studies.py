"""All studies by name, with their requests and their modules."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from roundbook.errors import InputError
from roundbook.logbook.session import Session, Work
from roundbook.requests.studies import (
    AcrossRoundsRequest,
    ChangeRequest,
    DiscriminativePowerRequest,
    IncrementalRequest,
    LeaveOneOutRequest,
    LeaveOneOutRoundsRequest,
    LeaveTeamsOutRequest,
    PerTopicVarianceRequest,
    StudyRequest,
    SwapRateRequest,
    TopicSubsetsRequest,
)

if TYPE_CHECKING:
    from roundbook.logbook.studies.study import KindOfStudy, Study


class StudyEntry(NamedTuple):
    """One study: its request, and the name of the module that computes it.

    The module of `presentation.studies` has that name too. `figure` is the field of the study's
    scales that lists of results show, and `all_rounds` the study of all rounds that can be asked
    for in place of this one of a round.
    """

    request: type[StudyRequest]
    figure: str
    module: str
    all_rounds: str | None = None


STUDIES = {
    "discriminative-power": StudyEntry(
        DiscriminativePowerRequest, "share", "discriminative_power", "across-rounds"
    ),
    "swap-rate": StudyEntry(SwapRateRequest, "overall", "swap_rate", "across-rounds"),
    "across-rounds": StudyEntry(AcrossRoundsRequest, "share", "across_rounds"),
    "incremental": StudyEntry(IncrementalRequest, "enough_by_sd", "incremental"),
    "change": StudyEntry(ChangeRequest, "fell", "change"),
    "leave-one-out": StudyEntry(LeaveOneOutRequest, "tau", "leave_one_out", "leave-one-out-rounds"),
    "leave-one-out-rounds": StudyEntry(LeaveOneOutRoundsRequest, "lowest", "leave_one_out_rounds"),
    "leave-teams-out": StudyEntry(LeaveTeamsOutRequest, "planned", "pilots"),
    "topic-subsets": StudyEntry(TopicSubsetsRequest, "planned", "pilots"),
    "per-topic-variance": StudyEntry(PerTopicVarianceRequest, "krcc", "per_topic_variance"),
}


def find_entry(name: str) -> StudyEntry:
    """Return the entry of a study by its name, or raise InputError."""
    if name not in STUDIES:
        raise InputError(f"There is no study '{name}'; there are {', '.join(STUDIES)}.", study=name)
    return STUDIES[name]


def of_all_rounds(name: str, fields: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name and fields of the study of all rounds in place of one, or raise InputError."""
    entry = STUDIES.get(name)
    if entry is None or entry.all_rounds is None:
        having = ", ".join(name for name, entry in STUDIES.items() if entry.all_rounds)
        raise InputError(f"There is no {name} of all rounds: it is of {having}.", study=name)
    # Beside swap rates it has discriminative power, whose number of trials is called `trials`.
    renamed = {"trials": "swap_trials"} if name == "swap-rate" else {}
    return entry.all_rounds, {renamed.get(field, field): fields[field] for field in fields}


def find_study(name: str) -> KindOfStudy:
    """Return a kind of study by its name, from the `STUDIES` of its module.

    The module is imported here, as most need SciPy, which lists of results do not.

    Raises
    ------
    InputError
        When there is no study of this name.
    """
    module = import_module(f"{__package__}.{find_entry(name).module}")
    kind: KindOfStudy = module.STUDIES[name]
    return kind


def run_study(session: Session | None, request: StudyRequest, work: Work | None = None) -> Study:
    """Compute a study of a round's scores or, without a record, of files.

    A request that names files takes nothing from a record; the work is by default the session's.

    Raises
    ------
    NotRecordedError
        When its inputs do not exist.
    ImpossibleStatisticError
        When the scores are too few, or all runs tie.
    """
    if work is None:
        work = session.work if session else Work()
    if request.files:
        session = None
    return find_study(getattr(request, "study", "")).compute(session, request, work, None)
