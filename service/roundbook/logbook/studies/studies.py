"""Every study by its name: what is asked, and what computes it."""

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
        The field of a study's scales that a list of results shows.
    """

    request: type[StudyRequest]
    figure: str


# Each is computed in the module of this package that is named after it.
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


def find_study(name: str) -> KindOfStudy:
    """Return a kind of study by its name, the `STUDY` of its module.

    The module is imported only now, since most need SciPy, which a list of results is spared.

    Raises
    ------
    InputError
        When there is none.
    """
    if name not in STUDIES:
        raise InputError(f"There is no study '{name}'; there are {', '.join(STUDIES)}.")
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
        When what it is computed from is not there.
    ImpossibleStatisticError
        When the scores are too few, or all runs tie.
    """
    if work is None:
        work = session.work if session else Work()
    return find_study(getattr(request, "study", "")).compute(session, request, work, None)
