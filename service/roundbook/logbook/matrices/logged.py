"""What comes out when a score matrix is logged."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from roundbook.formats.matrix import HiddenCells
from roundbook.logbook.impact import Dependent
from roundbook.logbook.matrices.history import Changes
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.runs.recorded_runs import Pool
from roundbook.logbook.teams import RefittableFactors


class Difference(Result):
    """How many topics and runs only this matrix has (`new`), and how many it lacks.

    `revision` is the one it is compared with, None for all other matrices of the round.
    """

    revision: int | None
    new_topics: int
    lacking_topics: int
    new_runs: int
    lacking_runs: int


class Twin(Result):
    """The matrix of another round, or of another measure of the round, with the same scores."""

    round: str
    measure: str
    matrix: int


class Remarks(Result):
    """What a person who logs a score matrix should know of it.

    Attributes
    ----------
    other_measures : list of str
        The task's, where this measure is new to the record: it may be one of them, mistyped.
    difference : Difference or None
        From the revision before, or else from the other matrices of the round.
    same_scores : Twin or None
        Another round, or another measure of this one, that has exactly these scores.
    changes : Changes or None
        What a revision changes against the one before.
    variance_ratio : float or None
        How many times the median variance of the task's other rounds this one is, where that is
        so many times that the scores may be on another scale.
    beyond_one : int
        How many scores are below 0 or above 1, of a measure that is nowhere so.
    runs_named_as_topics : int
        How many runs have the name of one of the task's topics, where most of them do: the file
        may be transposed.
    single_run : bool
        Whether there is but one run, over which no standard deviation, and so no factor, exists.
    tied_topics : list of str
        Topics on which all standardising runs tie; `zero_sd` is what becomes of them.
    equal_runs : int
        How many runs have the same scores on every topic as one that stands before them.
    alike : list of lists of str
        These runs, with the ones that they are like.
    renewed : list of str
        The measures of the variance estimates that were made anew as teams became known, an entry
        for each.
    refittable : list of RefittableFactors
        The round's factors that rest on other runs than the pool that became known just now.
    unknown_runs, undescribed_runs : list of str
        Runs that only the team file has, and those that it leaves out.
    not_recorded : list of str
        Where nothing was logged, since these very scores are: what was given beside them and is
        otherwise in the record, of ``reason``, ``tool`` and ``zero_sd``.
    hidden : list of HiddenCells
        What of workbooks was read though it is hidden.
    topics_without_relevant : list of str
        Where the scores were computed from runs: topics on which all score 0, since no document of
        the assessments is relevant.
    lists_end_at : int or None
        Where they were computed from runs, the rank at which the longest list ends, if the measure
        looks further.
    """

    other_measures: list[str]
    difference: Difference | None = None
    changes: Changes | None = None
    same_scores: Twin | None = None
    variance_ratio: float | None = None
    beyond_one: int = 0
    runs_named_as_topics: int = 0
    single_run: bool = False
    tied_topics: list[str] = Field(default_factory=list)
    zero_sd: str
    equal_runs: int = 0
    alike: list[list[str]] = Field(default_factory=list)
    renewed: list[str]
    refittable: list[RefittableFactors] = Field(default_factory=list)
    unknown_runs: list[str] = Field(default_factory=list)
    undescribed_runs: list[str] = Field(default_factory=list)
    not_recorded: list[Literal["reason", "tool", "zero_sd"]] = Field(default_factory=list)
    hidden: list[HiddenCells] = Field(default_factory=list)
    topics_without_relevant: list[str] = Field(default_factory=list)
    lists_end_at: int | None = None


class LoggedMatrix(Result):
    """What logging did.

    `status` is ``logged`` or ``unchanged``; with `dry_run` it says what would have been done.
    `variance` is the residual variance on the raw scale, `variances` that on every scale. `impact`
    is what rests on the scores that were replaced, and so is stale; empty where none were.
    `standardising_runs` is how many of the runs standardise, None where there are no factors, and
    `pool` what is known of the pool, which decides on them unless they were ``chosen``.
    """

    matrix: int | None
    revision: int
    topics: int
    runs: int
    variance: float
    variances: dict[str, float]
    factor_version: int | None
    status: Literal["logged", "unchanged"]
    dry_run: bool
    task: str
    round: str
    measure: str
    assessments: str
    layout: str
    standardising: str | None
    standardising_runs: int | None
    pool: Pool
    missing_policy: str
    missing_cells: int
    dropped_topics: list[str]
    runs_described: int
    remarks: Remarks
    impact: list[Dependent]
    software: str = SOFTWARE


class LoggedMatrices(Result):
    """What logging several measures together did, in one transaction."""

    task: str
    round: str
    dry_run: bool
    matrices: list[LoggedMatrix]
    software: str = SOFTWARE
