"""Requests of studies: analyses of the scores of a round, of rounds, or of files."""

from roundbook.requests.studies.altered_rounds import (
    LeaveOneOutRequest,
    LeaveOneOutRoundsRequest,
    LeaveTeamsOutRequest,
    PerTopicVarianceRequest,
    PilotRequest,
    TopicSubsetsRequest,
)
from roundbook.requests.studies.scores import (
    AcrossRoundsRequest,
    ChangeRequest,
    DiscriminativePowerRequest,
    IncrementalRequest,
    SwapRateRequest,
)
from roundbook.requests.studies.study import AllRoundsRequest, StudyRequest

__all__ = [
    "AcrossRoundsRequest",
    "AllRoundsRequest",
    "ChangeRequest",
    "DiscriminativePowerRequest",
    "IncrementalRequest",
    "LeaveOneOutRequest",
    "LeaveOneOutRoundsRequest",
    "LeaveTeamsOutRequest",
    "PerTopicVarianceRequest",
    "PilotRequest",
    "StudyRequest",
    "SwapRateRequest",
    "TopicSubsetsRequest",
]
