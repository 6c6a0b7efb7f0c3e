"""All studies by name, with their requests and their modules."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

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
    """One study.

    Attributes
    ----------
    request : type
    figure : str
        The field of the study's scales that lists of results show.
    """

    request: type[StudyRequest]
    figure: str


# Each is computed by the module of this package with its name.
STUDIES = {
    "discriminative-power": StudyEntry(DiscriminativePowerRequest, "share"),
    "swap-rate": StudyEntry(SwapRateRequest, "overall"),
    "across-rounds": StudyEntry(AcrossRoundsRequest, "share"),
    "incremental": StudyEntry(IncrementalRequest, "enough_by_sd"),
    "change": StudyEntry(ChangeRequest, "fell"),
    "leave-one-out": StudyEntry(LeaveOneOutRequest, "tau"),
    "leave-one-out-rounds": StudyEntry(LeaveOneOutRoundsRequest, "lowest"),
    "leave-teams-out": StudyEntry(LeaveTeamsOutRequest, "planned"),
    "topic-subsets": StudyEntry(TopicSubsetsRequest, "planned"),
    "per-topic-variance": StudyEntry(PerTopicVarianceRequest, "krcc"),
}


def study_entry(name: str) -> StudyEntry:
    """Return the entry of a study by its name.

    Raises
    ------
    InputError
        When there is no such study.
    """
    if name not in STUDIES:
        raise InputError(f"There is no study '{name}'; there are {', '.join(STUDIES)}.")
    return STUDIES[name]


def find_study(name: str) -> KindOfStudy:
    """Return a kind of study by its name, the `STUDY` of its module.

    The module is imported here, as most need SciPy, which lists of results do not.

    Raises
    ------
    InputError
        When there is no study of this name.
    """
    study_entry(name)
    kind: KindOfStudy = import_module(f"{__package__}.{name.replace('-', '_')}").STUDY
    return kind


def run_study(session: Session | None, request: StudyRequest, work: Work | None = None) -> Study:
    """Compute a study of a round's scores or, without a record, of files.

    Parameters
    ----------
    session : Session or None
        None for a request that names files.
    work : Work, optional
        Default: the session's.

    Raises
    ------
    NotRecordedError
        When its inputs do not exist.
    ImpossibleStatisticError
        When the scores are too few, or all runs tie.
    """
    if work is None:
        work = session.work if session else Work()
    return find_study(getattr(request, "study", "")).compute(session, request, work, None)
