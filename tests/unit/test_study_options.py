"""The commands of studies: their parameters are read by name, so each is something's."""

from __future__ import annotations

import inspect

import pytest

from roundbook.requests.studies import (
    AcrossRoundsRequest,
    ChangeRequest,
    DiscriminativePowerRequest,
    IncrementalRequest,
    LeaveOneOutRequest,
    LeaveTeamsOutRequest,
    PerTopicVarianceRequest,
    SwapRateRequest,
    TopicSubsetsRequest,
)
from roundbook_cli import study

OF_THE_OUTPUT = {
    "context", "database", "form", "save", "note", "chart", "workers", "dask", "top",
}  # fmt: skip
BESIDE = {"round_label", "all_rounds"}
# It has one way to read files and one scale.
NOT_ASKED = {
    ChangeRequest: {"scales"},
    PerTopicVarianceRequest: {"scales", "layout", "file_measure", "missing"},
}


@pytest.mark.parametrize(
    ("command", "request_type"),
    [
        (study.discriminative_power, DiscriminativePowerRequest),
        (study.swap_rate, SwapRateRequest),
        (study.incremental, IncrementalRequest),
        (study.change, ChangeRequest),
        (study.leave_one_out, LeaveOneOutRequest),
        (study.leave_teams_out, LeaveTeamsOutRequest),
        (study.topic_subsets, TopicSubsetsRequest),
        (study.per_topic_variance, PerTopicVarianceRequest),
    ],
)
def test_each_field_of_the_request_is_an_option(command, request_type):
    fields = (
        set(request_type.model_fields) - {"study", "round"} - NOT_ASKED.get(request_type, set())
    )
    parameters = set(inspect.signature(command).parameters)
    if request_type is LeaveOneOutRequest:
        fields -= {"seed"}  # nothing is drawn
    assert parameters - OF_THE_OUTPUT - BESIDE == fields


def test_all_rounds_take_the_parameters_of_one():
    of_one = {"swap_trials": "trials", "round": "round_label"}
    parameters = {
        name
        for command in (study.discriminative_power, study.swap_rate)
        for name in inspect.signature(command).parameters
    }
    fields = {of_one.get(name, name) for name in AcrossRoundsRequest.model_fields} - {"study"}
    assert fields <= parameters
