"""Every study by its name: what is asked, and in which module it is computed."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from roundbook.errors import InputError
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.study import KindOfStudy, Study
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


class StudyEntry(NamedTuple):
    """One study.

    Attributes
    ----------
    module : str
        Of this package: its `STUDY` is a `KindOfStudy`. It is imported when the study is computed
        or read, since most need SciPy, which a list of results is spared.
    request : type
    figure : str
        The field of a study's scales that a list of results shows.
    """

    module: str
    request: type[StudyRequest]
    figure: str


STUDIES = {
    "discriminative-power": StudyEntry("discriminative_power", DiscriminativePowerRequest, "share"),
    "swap-rate": StudyEntry("swap_rate", SwapRateRequest, "overall"),
    "across-rounds": StudyEntry("across_rounds", AcrossRoundsRequest, "share"),
    "incremental": StudyEntry("incremental", IncrementalRequest, "enough_by_sd"),
    "change": StudyEntry("change", ChangeRequest, "fell"),
    "leave-one-out": StudyEntry("leave_one_out", LeaveOneOutRequest, "tau"),
    "leave-one-out-rounds": StudyEntry("leave_one_out_rounds", LeaveOneOutRoundsRequest, "lowest"),
    "leave-teams-out": StudyEntry("leave_teams_out", LeaveTeamsOutRequest, "planned"),
    "topic-subsets": StudyEntry("topic_subsets", TopicSubsetsRequest, "planned"),
    "per-topic-variance": StudyEntry("per_topic_variance", PerTopicVarianceRequest, "krcc"),
}


def find_study(name: str) -> KindOfStudy:
    """Return a kind of study by its name.

    Raises
    ------
    InputError
        When there is none.
    """
    if name not in STUDIES:
        raise InputError(f"There is no study '{name}'; there are {', '.join(STUDIES)}.")
    kind: KindOfStudy = import_module(f"roundbook.logbook.studies.{STUDIES[name].module}").STUDY
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
