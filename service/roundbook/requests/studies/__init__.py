"""Requests of studies: analyses of the scores of a round, of rounds, or of files."""

from roundbook.requests.studies.all_rounds import (
    AcrossRoundsRequest,
    AllRoundsRequest,
    LeaveOneOutRoundsRequest,
)
from roundbook.requests.studies.change import ChangeRequest
from roundbook.requests.studies.leave_one_out import LeaveOneOutRequest
from roundbook.requests.studies.pairs import (
    DiscriminativePowerRequest,
    IncrementalRequest,
    SwapRateRequest,
)
from roundbook.requests.studies.per_topic_variance import PerTopicVarianceRequest
from roundbook.requests.studies.pilots import (
    LeaveTeamsOutRequest,
    PilotRequest,
    TopicSubsetsRequest,
)
from roundbook.requests.studies.study import StudyRequest

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
