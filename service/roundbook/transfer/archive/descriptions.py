"""What the tables of an archive and their columns hold: the descriptions in its data package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Described(NamedTuple):
    """A table in a sentence, and each of its columns."""

    table: str
    columns: Mapping[str, str]


# The page docs/reference/archive.md says the same, and a test compares the two.
DESCRIPTIONS: Mapping[str, Described] = {
    "task": Described(
        "The tasks, oldest first.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "name": "Its name.",
            "title": "Its title.",
            "created_at": "When it was recorded.",
        },
    ),
    "round": Described(
        "The rounds.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "task_id": "Whose round.",
            "ordinal": "Its place in the order of the task's rounds.",
            "label": "Its label.",
            "held": "When it was held.",
            "collection": "The document collection.",
            "status": "`draft` or `published`.",
            "pseudonym_key": "The secret key that orders the pseudonyms of its teams in drafts.",
            "created_at": "When it was recorded.",
        },
    ),
    "topic": Described(
        "The topics. A topic of two rounds has one row.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "task_id": "Whose topic.",
            "name": "Its name, as in the scores.",
        },
    ),
    "topic_alias": Described(
        "Other ids under which topics returned, by id in the order of code points.",
        {
            "task_id": "Of which task.",
            "name": "The other id, as in the scores.",
            "topic_id": "Which topic it is.",
            "software": "Which Roundbook wrote it.",
            "recorded_at": "When.",
            "recorded_by": "By whom.",
        },
    ),
    "team": Described(
        "The teams, by name in the order of code points.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "name": "Its name; capitals make no other team.",
        },
    ),
    "run": Described(
        "The runs of each round.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "round_id": "Of which round.",
            "tag": "Its tag, as in the scores.",
            "team_id": "Whose it is.",
            "type": "What kind of run.",
            "contributed_to_pool": "Whether the pool was made from it too.",
            "system": "What links revived runs of one system.",
        },
    ),
    "measure": Described(
        "The measures, by name in the order of code points.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "name": "Its name; capitals make no other measure.",
            "family": "The name without parameters and cutoff.",
            "cutoff": "The rank it looks down to.",
            "parameters": "Its parameters.",
            "lower_bound": "The lowest possible score.",
            "upper_bound": "The highest possible score.",
            "spellings": "The names of measures that were merged into it.",
        },
    ),
    "matrix": Described(
        "The score matrices, every revision a row. The scores of row 7 are in `scores/000007.csv`.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "round_id": "Of which round.",
            "measure_id": "Of which measure.",
            "assessments": "The label of the assessments.",
            "revision": "1 for the first, 2 for what replaced it, and so on.",
            "reason": "Why it was revised.",
            "topics": "How many topics.",
            "runs": "How many runs.",
            "content_hash": "BLAKE2b over the names and scores, whatever their order.",
            "missing_policy": "`reject`, `zero` or `drop-topic`.",
            "missing_cells": "How many scores were missing.",
            "dropped_topics": "The topics left out for that.",
            "files": "The files it was logged from.",
            "layout": "Their layout.",
            "tool": "What made the scores.",
            "software": "Which Roundbook wrote it.",
            "logged_at": "When.",
            "logged_by": "By whom.",
        },
    ),
    "withdrawal": Described(
        "Withdrawals and restorations; the last of a matrix holds.",
        {
            "matrix_id": "Of which matrix.",
            "number": "1, 2, ... for each matrix.",
            "withdrawn": "Whether it counts no more from then on.",
            "reason": "Why.",
            "software": "Which Roundbook wrote it.",
            "decided_at": "When.",
            "decided_by": "By whom.",
        },
    ),
    "factor_set": Described(
        "The versions of standardisation factors.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "matrix_id": "Fitted to which scores.",
            "round_id": "Their round.",
            "measure_id": "Their measure.",
            "assessments": "The label of the assessments.",
            "version": "Counts within round, measure and assessments.",
            "standardising": "`all`, `pooled` or `chosen`: which runs standardise.",
            "runs": "How many these are.",
            "zero_sd": "`average` or `drop`: topics on which all tie.",
            "reason": "Why they were fitted.",
            "software": "Which Roundbook wrote it.",
            "fitted_at": "When.",
            "fitted_by": "By whom.",
        },
    ),
    "factor_set_run": Described(
        "The standardising runs, where they are not all runs of the matrix.",
        {
            "factor_set_id": "Of which version.",
            "matrix_id": "Of which scores.",
            "run_id": "Which run.",
        },
    ),
    "factor": Described(
        "The factors.",
        {
            "factor_set_id": "Of which version.",
            "topic_id": "Of which topic.",
            "matrix_id": "Of which scores.",
            "mean": "The mean of the standardising runs.",
            "sd": "Their standard deviation, ddof 1.",
        },
    ),
    "variance_estimate": Described(
        "The residual variances, each matrix on each scale.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "matrix_id": "Of which scores.",
            "factor_set_id": "By which factors; none on the raw scale.",
            "scale": "`raw`, `std-ab` or `std-cdf`.",
            "topics": "Of how many topics.",
            "runs": "Of how many runs.",
            "sum_of_squares": "Of the residuals.",
            "dof": "runs * (topics - 1).",
            "variance": "sum_of_squares / dof.",
            "two_way_sum_of_squares": "After run and topic means.",
            "two_way_dof": "Its degrees of freedom.",
            "chi_square_low": "Lower end of the chi-square interval; only of schema 0002 to 0004.",
            "chi_square_high": "Its upper end.",
            "bootstrap_low": "Lower end of the topic bootstrap's interval; likewise.",
            "bootstrap_high": "Its upper end.",
            "level": "The confidence level of both.",
            "bootstrap_resamples": "How many resamples.",
            "bootstrap_seed": "Their seed.",
            "software": "Which Roundbook wrote it.",
            "estimated_at": "When.",
            "version": "1, and one more each time that teams of the runs became known.",
            "clusters": "The teams known then, each run of unknown team counting as one.",
            "runs_part": "Variance of ln V from which teams took part; empty where not known.",
            "two_way_runs_part": "The same after run and topic means.",
        },
    ),
    "published_variance": Described(
        "Variances that were published without their scores.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "round_id": "Of which round.",
            "measure_id": "Of which measure.",
            "assessments": "The label of the assessments.",
            "scale": "On which scale.",
            "revision": "1 for the first.",
            "reason": "Why it was revised.",
            "topics": "Of how many topics.",
            "runs": "Of how many runs.",
            "variance": "The residual variance.",
            "source": "Where it is published.",
            "software": "Which Roundbook wrote it.",
            "recorded_at": "When.",
            "recorded_by": "By whom.",
            "teams": "Of how many teams its runs are.",
        },
    ),
    "result": Described(
        "The saved results, plans and drift reports, every version a row.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "task_id": "For which task; none for a plan whose variance was typed in.",
            "kind": "`plan` or `drift`.",
            "name": "Its name.",
            "version": "Counts within a kind and name.",
            "request": "What was asked, complete, so that it can be asked again.",
            "result": "What came out: figures and codes.",
            "note": "Why it was saved.",
            "software": "Which Roundbook wrote it.",
            "saved_at": "When.",
            "saved_by": "By whom.",
        },
    ),
    "result_input": Described(
        "What a result was computed from; one of the four references is there, the others are empty.",
        {
            "result_id": "Which result.",
            "position": "0, 1, ...",
            "variance_estimate_id": "A variance from scores.",
            "published_variance_id": "A published variance.",
            "factor_set_id": "A factor version.",
            "matrix_id": "A score matrix.",
            "known": "What was known beside its scores then, such as the document collection.",
        },
    ),
    "event": Described(
        "Who did what, when and why, in the order it happened.",
        {
            "id": "1, 2, ... in the order of the rows.",
            "at": "When.",
            "who": "By whom; empty where that is not known.",
            "what": "What, such as `matrix logged`.",
            "task_id": "In which task.",
            "round_id": "In which round.",
            "matrix_id": "About which scores.",
            "why": "Why.",
            "details": "What else there is to know; names and figures.",
            "software": "Which Roundbook wrote it.",
            "database_user": "The database's user then; empty where that is not known.",
        },
    ),
}
