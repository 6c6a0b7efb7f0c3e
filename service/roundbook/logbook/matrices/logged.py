"""The results of logging score matrices."""

from __future__ import annotations

from operator import not_
from typing import Literal

from pydantic import Field

from roundbook.formats.matrix import HiddenCells
from roundbook.logbook.impact import Dependent
from roundbook.logbook.matrices.history import Changes
from roundbook.logbook.names import NearName
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.round_fingerprint import Publication
from roundbook.logbook.runs.recorded_runs import Pool
from roundbook.logbook.teams import RefittableFactors


class MatrixDifference(Result):
    """Numbers and names of topics and runs that only this matrix has (`new`), and that it lacks.

    `revision` is the revision it is compared with, None for all other matrices of the round.
    """

    revision: int | None
    new_topics: int
    lacking_topics: int
    new_runs: int
    lacking_runs: int
    new_topic_names: list[str]
    lacking_topic_names: list[str]
    new_run_names: list[str]
    lacking_run_names: list[str]


class Twin(Result):
    """A matrix of another round, or of another measure of the round, with the same scores.

    `task` is its task, if that is another one.
    """

    round: str
    measure: str
    matrix: int
    task: str | None = Field(None, exclude_if=not_)


class ComparisonRemarks(Result):
    """Remarks from comparing scores that were just stored with others, and with their names.

    Attributes
    ----------
    difference : MatrixDifference or None
        From the revision before, or from the other matrices of the round.
    changes : Changes or None
        The changes of a revision from the one before.
    same_scores : Twin or None
        Another round, or another measure of this one, that has exactly these scores.
    same_values : str or None
        If no other round of the task has exactly these scores: one that has them under other names
        of topics or runs.
    variance_ratio : float or None
        The variance over the median variance of the task's other rounds, if the ratio is so far
        from 1 that the scores may be on another scale.
    beyond_one : int
        Number of scores below 0 or above 1, for a measure that cannot have such scores.
    runs_named_as_topics : int
        Number of runs with the name of one of the task's topics, if most have: the file may be
        transposed.
    zeros_apart : dict of str
        Topics that differ from another topic of the task by leading zeros alone, with its name.
    no_shared_topics : int
        The number of the task's other rounds, if these share topics with each other, and none with
        this new round.
    equal_runs : int
        Number of runs with the same scores on every topic as an earlier run.
    alike : list of lists of str
        Groups of runs with equal scores.
    """

    difference: MatrixDifference | None = None
    changes: Changes | None = None
    same_scores: Twin | None = None
    same_values: str | None = Field(None, exclude_if=not_)
    variance_ratio: float | None = None
    beyond_one: int = 0
    runs_named_as_topics: int = 0
    zeros_apart: dict[str, str] = Field(default_factory=dict, exclude_if=not_)
    no_shared_topics: int = Field(0, exclude_if=not_)
    equal_runs: int = 0
    alike: list[list[str]] = Field(default_factory=list)


class Remarks(ComparisonRemarks):
    """Remarks on a logged score matrix; those of comparing it only if its scores were stored.

    Attributes
    ----------
    other_measures : list of str
        The task's other measures if this one is new to the record, or to the task and not a known
        one: it may be one of them, mistyped.
    near_measure : str or None
        If this measure is new to the task and not a known one: the known measure that it may be a
        misspelling of.
    other_assessments : list of str
        The task's assessments labels if this one is new to it: it may be one of them, mistyped.
    near_names : list of NearName
        The task and round that were made, with recorded ones they may be misspellings of.
    single_run : bool
        Whether there is only one run, which has no standard deviation and so no factors.
    tied_topics : list of str
        Topics on which all standardising runs tie; `zero_sd` is the policy on them.
    standardising_before : str or None
        Which runs the factors of the revision before rest on, if those of this one rest on others.
    renewed : list of str
        The measures of the variance estimates that were renewed because teams became known, one
        entry for each estimate.
    refittable : list of RefittableFactors
        The round's factors that were fitted on other runs than the pool that just became known.
    new_teams : list of str
        Teams that the team file brings into the task, if the task had most of its others.
    unknown_runs, undescribed_runs : list of str
        Runs that only the team file has, and runs that it lacks.
    unread_columns : list of str
        The columns of the team file that hold nothing that is known of one.
    not_recorded : list of str
        If the same scores were logged already: those of ``reason``, ``tool`` and ``zero_sd`` that
        were given and differ from the record.
    hidden : list of HiddenCells
        The hidden parts of workbooks, which were read all the same.
    topics_without_relevant : list of str
        If the scores were computed from runs: topics on which all runs score 0, as no document is
        relevant.
    runs_without_lists : list of str
        If the scores were computed from runs: those without a list for any assessed topic, which
        score 0 throughout.
    lacking_lists : dict of int
        If the scores were computed from runs: by other runs, the number of assessed topics for
        which a run has no list; it scores 0 there.
    lists_end_at : int or None
        If the scores were computed from runs: the rank at which the longest list ends, if the
        measure's cutoff is beyond.
    """

    other_measures: list[str]
    near_measure: str | None = Field(None, exclude_if=not_)
    other_assessments: list[str] = Field(default_factory=list)
    near_names: list[NearName] = Field(default_factory=list, exclude_if=not_)
    single_run: bool = False
    tied_topics: list[str] = Field(default_factory=list)
    zero_sd: str
    standardising_before: str | None = Field(None, exclude_if=not_)
    renewed: list[str] = Field(default_factory=list)
    refittable: list[RefittableFactors] = Field(default_factory=list)
    new_teams: list[str] = Field(default_factory=list, exclude_if=not_)
    unknown_runs: list[str] = Field(default_factory=list)
    undescribed_runs: list[str] = Field(default_factory=list)
    unread_columns: list[str] = Field(default_factory=list, exclude_if=not_)
    not_recorded: list[Literal["reason", "tool", "zero_sd"]] = Field(default_factory=list)
    hidden: list[HiddenCells] = Field(default_factory=list)
    topics_without_relevant: list[str] = Field(default_factory=list)
    runs_without_lists: list[str] = Field(default_factory=list, exclude_if=not_)
    lacking_lists: dict[str, int] = Field(default_factory=dict, exclude_if=not_)
    lists_end_at: int | None = None


class LoggedMatrix(Result):
    """The result of logging a score matrix.

    `status` is ``logged`` or ``unchanged``; with `dry_run` it is what would have been done.
    `variance` is the residual variance on the raw scale, `variances` those on every scale. `impact`
    is what depends on replaced scores and so is stale, empty if none were replaced.
    `standardising_runs` is the number of standardising runs, None without factors. `pool` is how
    far the pool is known: the standardising runs follow from it unless they were ``chosen``; where
    it is ``partly known``, `pool_unknown` is the number of runs of which it is not.
    `publication` has the fingerprints of a published round whose scores change.
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
    pool_unknown: int = Field(0, exclude_if=not_)
    missing_policy: str
    missing_cells: int
    dropped_topics: list[str]
    runs_described: int
    remarks: Remarks
    impact: list[Dependent]
    publication: Publication | None = Field(None, exclude_if=not_)
    software: str = SOFTWARE


class LoggedMatrices(Result):
    """The result of logging several measures in one transaction."""

    task: str
    round: str
    dry_run: bool
    matrices: list[LoggedMatrix]
    software: str = SOFTWARE
