"""The use cases by name, with their requests, for all doors but the terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from roundbook.errors import InputError
from roundbook.requests import (
    access,
    drift,
    factors,
    matrices,
    plans,
    rankings,
    record,
    reports,
    results,
    runs,
    tasks,
    variances,
)
from roundbook.requests.access import Scope
from roundbook.requests.base import Request

if TYPE_CHECKING:
    from roundbook.logbook.session import Session


@dataclass(frozen=True)
class _Imported:
    function: str
    package: str = field(default="roundbook.logbook", kw_only=True)  # of its module

    @property
    def call(self) -> Callable[..., Any]:
        """The function, imported on first use."""
        function: Callable[..., Any] = resolve_name(f"{self.package}.{self.function}")
        return function

    @property
    def result(self) -> type[BaseModel]:
        """The type of the function's result."""
        function = self.call
        name = f"{function.__module__}:{function.__annotations__['return']}"
        model: type[BaseModel] = resolve_name(name)
        return model

    def run(self, session: Session, request: Request | None, *more: object) -> Any:  # noqa: ANN401
        """Return the result of a request; `more` are further arguments of the function."""
        return self.call(session) if request is None else self.call(session, request, *more)


@dataclass(frozen=True)
class UseCase(_Imported):
    """One use case.

    Attributes
    ----------
    function : str
        Its module below `package` and name, as ``module:name``; imported when called.
    request : type or None
        Its request; None where it takes none.
    changes : bool
        Whether it changes the record (a decision) or only reads it (a question).
    scope : str
        The scope that a token must have for it.
    computes : bool
        Whether it may compute for seconds or longer.
    """

    request: type[Request] | None
    scope: Scope = "read"
    changes: bool = False
    computes: bool = False


@dataclass(frozen=True)
class Upload(_Imported):
    """A use case that reads scores, runs or names from a file, which may be uploaded.

    Attributes
    ----------
    file : str
        The field of the request that names the file, or the files.
    without : tuple of str
        Further fields that name files, which cannot be uploaded.
    holds : str
        What the file holds, by which one without a name is called.
    """

    request: type[Request]
    file: str
    without: tuple[str, ...] = ()
    holds: str = "scores"
    changes: bool = True
    scope: Scope = "log"

    def ask(self, fields: dict[str, Any], *files: Path) -> Request:
        """Return the request with these files; without files where scores are computed from runs.

        Raise InputError where there are several, and the use case reads one.
        """
        if fields.get("from_runs") in (True, "true", "True", "1"):
            return self.request(**fields)
        if self.file == "files":
            return self.request(**fields, files=files)
        if len(files) != 1:
            raise InputError(f"It takes one file, not {len(files)}.")
        return self.request(**fields, **{self.file: files[0]})


@dataclass(frozen=True)
class Download(_Imported):
    """A use case that writes a file, which may be downloaded; its function takes a progress too.

    Attributes
    ----------
    file_field : str
        The field of the request that names the file.
    file : str
        The file's default name.
    """

    package: str = field(default="roundbook", kw_only=True)
    request: type[Request]
    file_field: str
    file: str
    media_type: str
    scope: Scope = "read"


_decision = partial(UseCase, changes=True)

USE_CASES = {
    # Questions
    "tasks": UseCase("tasks:list_tasks", None),
    "rounds": UseCase("rounds:list_rounds", tasks.ListRounds),
    "round": UseCase("round_contents:show_round", tasks.ShowRound),
    "measures": UseCase("recorded_measures:list_measures", tasks.ListMeasures),
    "topics": UseCase("topics:list_topics", tasks.ListTopics),
    "matrices": UseCase("matrices.listing:list_matrices", matrices.ListMatrices),
    "matrix": UseCase("matrices.showing:show_matrix", matrices.ShowMatrix),
    "impact": UseCase("impact:show_impact", matrices.ShowImpact),
    "history": UseCase("matrices.history:show_history", matrices.ShowHistory),
    "export_matrix": UseCase("matrices.export:export_matrix", matrices.ExportMatrix),
    "runs": UseCase("runs.listing:list_runs", runs.ListRuns),
    "qrels": UseCase("runs.listing:list_qrels", runs.ListQrels),
    "compare_scores": UseCase("runs.scoring:compare_scores", runs.CompareScores, computes=True),
    "variances": UseCase("variances:show_variances", variances.VarianceRequest),
    "histories": UseCase("variances:show_histories", variances.VarianceHistoryRequest),
    "factors": UseCase("factors:show_factors", factors.FactorsRequest),
    "plan": UseCase("plans.planning:plan_topics", plans.PlanRequest),
    "drift": UseCase("drift.report:report_drift", drift.DriftRequest),
    "ageing": UseCase("drift.report:trace_drift", drift.CurveRequest),
    "standardise": UseCase("standardise:standardise", factors.StandardiseRequest),
    "rank": UseCase("rankings:compare_rankings", rankings.RankRequest, computes=True),
    "generalisability": UseCase(
        "generalisability:report_generalisability",
        rankings.GeneralisabilityRequest,
        computes=True,
    ),
    "results": UseCase("saved_results:list_results", results.ListResults),
    "result": UseCase("saved_results:show_result", results.ShowResult),
    "events": UseCase("events:list_events", record.EventsRequest),
    "verify": UseCase("verifying.record:verify_record", record.VerifyRequest, computes=True),
    "verify_round": UseCase("round_fingerprint:verify_round", record.RoundVerificationRequest),
    "tokens": UseCase("tokens:list_tokens", None, scope="admin"),
    # Decisions
    "create_task": _decision("tasks:create_task", tasks.CreateTask, "admin"),
    "rename_task": _decision("tasks:rename_task", tasks.RenameTask, "admin"),
    "remove_task": _decision("tasks:remove_task", tasks.RemoveTask, "admin"),
    "create_round": _decision("rounds:create_round", tasks.CreateRound, "log"),
    "set_round": _decision("round_changes:set_round", tasks.SetRound, "log"),
    "rename_round": _decision("round_changes:rename_round", tasks.RenameRound, "admin"),
    "remove_round": _decision("round_changes:remove_round", tasks.RemoveRound, "admin"),
    "publish": _decision("round_changes:publish_round", tasks.PublishRound, "admin"),
    "record_variance": _decision(
        "published:record_variance", variances.RecordVarianceRequest, "log"
    ),
    "fit": _decision("fitting:fit_factor_set", factors.FitRequest, "log"),
    "withdraw": _decision("matrices.corrections:withdraw_matrix", matrices.WithdrawMatrix, "admin"),
    "restore": _decision("matrices.corrections:restore_matrix", matrices.RestoreMatrix, "admin"),
    "merge_measures": _decision("recorded_measures:merge_measures", tasks.MergeMeasures, "admin"),
    "unalias_topic": _decision("topics:unalias_topic", tasks.UnaliasTopic, "admin"),
    "create_token": _decision("tokens:create_token", access.CreateToken, "admin"),
    "revoke_token": _decision("tokens:revoke_token", access.RevokeToken, "admin"),
    "renew": _decision("saving:renew_results", results.RenewResults, "log", computes=True),
}

# The use cases that read a file.
UPLOADS = {
    "log": Upload("matrices.log_matrix:log_files", matrices.LogFilesRequest, "files", ("teams",)),
    "describe_teams": Upload("teams:describe_teams", runs.DescribeTeams, "file", holds="teams"),
    "alias_topics": Upload("topics:alias_topics", tasks.AliasTopics, "file", holds="topics"),
    "log_runs": Upload("runs.log_runs:log_runs", runs.LogRuns, "files", holds="runs"),
    "log_qrels": Upload("runs.assessing:log_qrels", runs.LogQrels, "file", holds="qrels"),
    "standardise_files": Upload(
        "standardise:standardise_files",
        factors.StandardiseFilesRequest,
        "files",
        changes=False,
        scope="read",
    ),
    "import": Upload(
        "transfer.archive.importing:import_archive",
        record.ImportRequest,
        "archive",
        holds="archive.zip",
        scope="admin",
        package="roundbook",
    ),
}

# The use cases that write a file.
DOWNLOADS = {
    "export": Download(
        "transfer.archive.exporting:export_archive",
        record.ExportRequest,
        "archive",
        "roundbook.zip",
        "application/zip",
        scope="admin",
    ),
    "report_html": Download(
        "reports.html_report:write_html", reports.HtmlReport, "output", "report.html", "text/html"
    ),
    "report_latex": Download(
        "reports.latex:write_latex", reports.LatexReport, "output", "report.tex", "text/x-tex"
    ),
    "report_datacite": Download(
        "reports.deposit:write_deposit",
        reports.DepositRequest,
        "output",
        "deposit.zip",
        "application/zip",
        scope="admin",
    ),
}


def path_of(name: str) -> str:
    """Return the path of a use case over HTTP, below the prefix."""
    return "/" + name.replace("_", "-")


def report_name(kind: str) -> str:
    """Return the name of the use case that writes a report; raise InputError where there is none."""
    kinds = [name.removeprefix("report_") for name in DOWNLOADS if name.startswith("report_")]
    if kind not in kinds:
        raise InputError(f"There is no report '{kind}'; there are {', '.join(kinds)}.")
    return f"report_{kind}"


def find_use_case(name: str) -> UseCase:
    """Return a use case by its name; raise InputError where there is none."""
    if name not in USE_CASES:
        raise InputError(f"There is no use case '{name}'; there are {', '.join(USE_CASES)}.")
    return USE_CASES[name]
