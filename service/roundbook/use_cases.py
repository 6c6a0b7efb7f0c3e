"""Every use case by its name, with its request: what the doors other than the terminal open onto."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from roundbook.errors import InputError
from roundbook.requests import (
    drift,
    events,
    factors,
    generalisability,
    matrices,
    measures,
    plans,
    rankings,
    results,
    standardise,
    tasks,
    tokens,
    topics,
    variances,
    verification,
)
from roundbook.requests.base import Request
from roundbook.requests.tokens import Scope

if TYPE_CHECKING:
    from roundbook.logbook.session import Session


class UseCase(NamedTuple):
    """One use case.

    Attributes
    ----------
    function : str
        Its module below ``roundbook.logbook`` and its name; it is imported when it is called.
    request : type or None
        What is asked of it, None where nothing is.
    changes : bool
        Whether it is a decision, which changes the record, or a question.
    scope : str
        What a token must allow for it.
    """

    function: str
    request: type[Request] | None
    changes: bool = False
    scope: Scope = "read"

    def run(self, session: Session, request: Request | None) -> Any:  # noqa: ANN401
        """Return what comes of a request."""
        module, _, name = self.function.partition(":")
        function = getattr(import_module(f"roundbook.logbook.{module}"), name)
        return function(session) if request is None else function(session, request)


USE_CASES = {
    # Questions
    "tasks": UseCase("tasks:list_tasks", None),
    "rounds": UseCase("rounds:list_rounds", tasks.ListRounds),
    "measures": UseCase("recorded_measures:list_measures", measures.ListMeasures),
    "topics": UseCase("topics:list_topics", topics.ListTopics),
    "matrices": UseCase("matrices.listing:list_matrices", matrices.ListMatrices),
    "matrix": UseCase("matrices.showing:show_matrix", matrices.ShowMatrix),
    "impact": UseCase("impact:show_impact", matrices.ShowImpact),
    "variances": UseCase("variances:show_variances", variances.VarianceRequest),
    "histories": UseCase("variances:show_histories", variances.VarianceHistoryRequest),
    "factors": UseCase("factors:show_factors", factors.FactorsRequest),
    "plan": UseCase("plans.planning:plan_topics", plans.PlanRequest),
    "drift": UseCase("drift.report:report_drift", drift.DriftRequest),
    "ageing": UseCase("drift.curve:trace_drift", drift.CurveRequest),
    "standardise": UseCase("standardise:standardise", standardise.StandardiseRequest),
    "rank": UseCase("rankings:compare_rankings", rankings.RankRequest),
    "generalisability": UseCase(
        "generalisability:report_generalisability", generalisability.GeneralisabilityRequest
    ),
    "results": UseCase("saved_results:list_results", results.ListResults),
    "result": UseCase("saved_results:show_result", results.ShowResult),
    "events": UseCase("events:list_events", events.EventsRequest),
    "verify": UseCase("verifying.record:verify_record", verification.VerifyRequest),
    "verify_round": UseCase(
        "round_fingerprint:verify_round", verification.RoundVerificationRequest
    ),
    "tokens": UseCase("tokens:list_tokens", None, scope="admin"),
    # Decisions
    "create_task": UseCase("tasks:create_task", tasks.CreateTask, changes=True, scope="admin"),
    "rename_task": UseCase("tasks:rename_task", tasks.RenameTask, changes=True, scope="admin"),
    "remove_task": UseCase("tasks:remove_task", tasks.RemoveTask, changes=True, scope="admin"),
    "create_round": UseCase("rounds:create_round", tasks.CreateRound, changes=True, scope="log"),
    "set_round": UseCase("rounds:set_round", tasks.SetRound, changes=True, scope="log"),
    "rename_round": UseCase("rounds:rename_round", tasks.RenameRound, changes=True, scope="admin"),
    "remove_round": UseCase("rounds:remove_round", tasks.RemoveRound, changes=True, scope="admin"),
    "publish": UseCase("rounds:publish_round", tasks.PublishRound, changes=True, scope="admin"),
    "record_variance": UseCase(
        "published:record_variance", variances.RecordVarianceRequest, changes=True, scope="log"
    ),
    "fit": UseCase("fitting:fit_factor_set", factors.FitRequest, changes=True, scope="log"),
    "withdraw": UseCase(
        "matrices.corrections:withdraw_matrix", matrices.WithdrawMatrix, changes=True, scope="admin"
    ),
    "restore": UseCase(
        "matrices.corrections:restore_matrix", matrices.RestoreMatrix, changes=True, scope="admin"
    ),
    "merge_measures": UseCase(
        "recorded_measures:merge_measures", measures.MergeMeasures, changes=True, scope="admin"
    ),
    "unalias_topic": UseCase(
        "topics:unalias_topic", topics.UnaliasTopic, changes=True, scope="admin"
    ),
    "create_token": UseCase("tokens:create_token", tokens.CreateToken, changes=True, scope="admin"),
    "revoke_token": UseCase("tokens:revoke_token", tokens.RevokeToken, changes=True, scope="admin"),
    "renew": UseCase(
        "saved_results:renew_results", results.RenewResults, changes=True, scope="log"
    ),
}


def find_use_case(name: str) -> UseCase:
    """Return a use case by its name.

    Raises
    ------
    InputError
        When there is none.
    """
    if name not in USE_CASES:
        raise InputError(f"There is no use case '{name}'; there are {', '.join(USE_CASES)}.")
    return USE_CASES[name]
