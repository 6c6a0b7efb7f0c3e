"""The demonstration: published variances and a simulated campaign, with plans and drift reports.

The variances and topic set sizes come from Sakai, "The Effect of Score Standardisation on
Topic Set Size Design" (AIRS 2016), Tables 1 and 2, typed in beside this module. The campaign
is simulated: in its second round the systems of the first run again unchanged, in its third half of
the teams are new, in its fourth the first round's teams have better systems. Over 300 seeds the
verdict on the first round's factors is held in every second round, aged in every fourth, and
undecided in 98% of the third ones, though nothing drifted.

On the logit scale, the simulated score of system i on topic j in a round is

    hardness_j + ability_i + interaction_ij + lift + noise_ij

and the score is its inverse logit, so it lies in (0, 1). Systems of one team share part of their
ability and of their interaction with each topic. A system that comes back has the same ability and
interactions; only the noise is new. `lift` is what all systems of a round have become better by.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np

from roundbook.formats import RunTeam, ScoreMatrix
from roundbook.logbook.drift.report import DriftReport, report_drift
from roundbook.logbook.factors import FactorSet, show_factors
from roundbook.logbook.matrices.log_matrix import log_scores
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.planning import plan_topics
from roundbook.logbook.published import record_variance
from roundbook.logbook.result import Result
from roundbook.logbook.round_changes import publish_round
from roundbook.logbook.saving import save_result
from roundbook.logbook.session import ReportProgress, Session, begin, embedded_record, open_record
from roundbook.logbook.variance_history import VarianceHistory
from roundbook.logbook.variances import show_variances
from roundbook.requests.drift import DriftRequest
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.matrices import LogRequest
from roundbook.requests.plans import PlanRequest
from roundbook.requests.results import SaveResult
from roundbook.requests.tasks import PublishRound
from roundbook.requests.variances import RecordVarianceRequest, VarianceRequest
from roundbook.settings import Settings
from roundbook.statistics.score_matrix import Floats, Ints

SOURCE = "Sakai, AIRS 2016, Table 1"
SEED = 2016
CAMPAIGN = "simulated"
MEASURE = "nDCG@10"
_OF_CAMPAIGN = {"task": CAMPAIGN, "measure": MEASURE}
_USER = "roundbook demo"
# Topics 1-40 return in every round, the others are new in each round.
_SHARED, _NEW = 40, 10
# Standard deviations on the logit scale.
_HARDNESS, _HARDNESS_MEAN = 0.9, -0.4
_TEAM_ABILITY, _SYSTEM_ABILITY = 0.5, 0.2
_TEAM_INTERACTION, _SYSTEM_INTERACTION = 0.5, 0.4
_NOISE = 0.25


class _Round(NamedTuple):
    """A simulated round: the numbers of its teams, and how much better their systems are."""

    label: str
    teams: tuple[int, ...]
    lift: float = 0.0


# Teams 13 to 24 run the same systems in the first three rounds; every second team has two systems.
_FIRST_TEAMS = tuple(range(1, 25))
_ROUNDS = (
    _Round("round1", _FIRST_TEAMS),
    _Round("round2", _FIRST_TEAMS),
    _Round("round3", tuple(range(13, 37))),
    _Round("round4", (*_FIRST_TEAMS, *range(37, 43)), lift=0.7),
)
_PUBLISHED_TASK, _PUBLISHED_MEASURE = "STC Chinese", "nG@1"


class PublishedSize(Result):
    """One cell of Table 2: the size the paper prints for `m` runs and difference `min_d`."""

    m: int
    min_d: float
    topics: int


class Demonstration(Result):
    """The results of the demonstration."""

    source: str
    published: list[VarianceHistory]
    plan: Plan
    plan_published: list[PublishedSize]
    simulated: bool
    seed: int
    history: VarianceHistory
    history_std_ab: VarianceHistory
    next_round: Plan
    factors: FactorSet
    drift_held: DriftReport
    drift_undecided: DriftReport
    drift_aged: DriftReport


def demonstrate(settings: Settings, progress: ReportProgress) -> Demonstration:
    """Run the demonstration in a temporary embedded database."""
    progress("Starting an embedded PostgreSQL")
    with (
        tempfile.TemporaryDirectory(prefix="roundbook-demo-") as directory,
        embedded_record(Path(directory) / "postgres", settings, throw_away=True) as engine,
        begin(engine, _USER) as session,
    ):
        published = _record_all(session, progress)
        progress("Planning topic sets in both engines")
        cells = list(map(PublishedSize.model_validate, _table("airs2016_table2_stc.csv")))
        request = PlanRequest(
            task=_PUBLISHED_TASK,
            measure=_PUBLISHED_MEASURE,
            m=tuple(sorted({cell.m for cell in cells})),
            min_d=tuple(sorted({cell.min_d for cell in cells})),
            engine="sakai",
        )
        published_plan = plan_topics(session, request)
        request = PlanRequest(**_OF_CAMPAIGN, m=(10, 30, 50), min_d=(0.05, 0.1, 0.2))
        next_round = plan_topics(session, request)
        progress("Reading variances and factors")
        history, history_std_ab = (
            show_variances(session, VarianceRequest(**_OF_CAMPAIGN, scale=scale))
            for scale in ("raw", "std-ab")
        )
        first, *later = (entry.label for entry in _ROUNDS)
        factors = show_factors(session, FactorsRequest(**_OF_CAMPAIGN, round=first))
        progress("Comparing the first round's factors with later ones")
        held, undecided, aged = (
            report_drift(session, DriftRequest(**_OF_CAMPAIGN, from_round=first, to_round=label))
            for label in later
        )
        return Demonstration(
            source=SOURCE,
            published=published,
            plan=published_plan,
            plan_published=cells,
            simulated=True,
            seed=SEED,
            history=history,
            history_std_ab=history_std_ab,
            next_round=next_round,
            factors=factors,
            drift_held=held,
            drift_undecided=undecided,
            drift_aged=aged,
        )


@contextmanager
def demonstration_record(settings: Settings, progress: ReportProgress) -> Iterator[Settings]:
    """Yield the settings of a temporary record with the demonstration's data.

    It also has a saved plan and a saved drift report, and its first two rounds are published.
    """
    with tempfile.TemporaryDirectory(prefix="roundbook-demo-") as directory:
        temporary = settings.model_copy(update={"data_dir": Path(directory), "database_url": None})
        progress("Starting an embedded PostgreSQL")
        with open_record(temporary) as engine, begin(engine, _USER) as session:
            _record_all(session, progress)
            under = SaveResult(name="next-round")
            save_result(session, "plan", PlanRequest(**_OF_CAMPAIGN), under)
            save_result(session, "drift", DriftRequest(**_OF_CAMPAIGN))
            for entry in _ROUNDS[:2]:
                publish_round(session, PublishRound(task=CAMPAIGN, round=entry.label))
        yield temporary


def _record_all(session: Session, progress: ReportProgress) -> list[VarianceHistory]:
    """Record the published variances and the simulated campaign; return the variance histories."""
    progress("Recording the published NTCIR-12 variances")
    published = [_record_published(session, row) for row in _table("airs2016_table1.csv")]
    progress("Logging a simulated campaign of four rounds")
    for label, scores, teams in simulate_campaign():
        tool = f"simulated, seed {SEED}"
        request = LogRequest(**_OF_CAMPAIGN, round=label, create=True, tool=tool)
        log_scores(session, request, scores, teams)
    return published


def simulate_campaign() -> Iterator[tuple[str, ScoreMatrix, dict[str, RunTeam]]]:
    """Yield the label, the score matrix and the runs' teams of each simulated round."""
    generator = np.random.default_rng(SEED)
    teams = np.array([team for team in range(1, 43) for _ in range(1 + team % 2)])
    hardness, abilities, interactions = _draw_field(generator, teams - 1)
    for number, entry in enumerate(_ROUNDS):
        first_new = _SHARED + number * _NEW
        topics = np.array([*range(_SHARED), *range(first_new, first_new + _NEW)])
        systems = np.flatnonzero(np.isin(teams, entry.teams))
        noise = generator.normal(0, _NOISE, (topics.size, systems.size))
        logits = (
            hardness[topics, np.newaxis]
            + abilities[systems]
            + interactions[np.ix_(topics, systems)]
            + entry.lift
            + noise
        )
        # Four decimals, as evaluation tools print them.
        scores = (1 / (1 + np.exp(-logits))).round(4)
        names = [f"system{system + 1:02d}" for system in systems]
        tags = [f"{entry.label}-{name}" for name in names]
        # A better system is a new system, though the team is the same.
        recurring = [None if entry.lift else name for name in names]
        yield (
            entry.label,
            ScoreMatrix(
                topics=tuple(str(topic + 1) for topic in topics),
                runs=tuple(tags),
                scores=scores,
                measure=None,
                layout="wide",
                files=(f"simulated, seed {SEED}",),
            ),
            {
                tag: RunTeam(tag, f"team{teams[system]:02d}", "automatic", None, name)
                for tag, system, name in zip(tags, systems, recurring, strict=True)
            },
        )


def _draw_field(generator: np.random.Generator, teams: Ints) -> tuple[Floats, Floats, Floats]:
    """Draw the hardness of topics (lower is harder), abilities of systems, and interactions."""
    topics, count = _SHARED + _NEW * len(_ROUNDS), int(teams.max()) + 1
    hardness = generator.normal(_HARDNESS_MEAN, _HARDNESS, topics)
    team_ability = generator.normal(0, _TEAM_ABILITY, count)
    team_interaction = generator.normal(0, _TEAM_INTERACTION, (topics, count))
    abilities = team_ability[teams] + generator.normal(0, _SYSTEM_ABILITY, teams.size)
    own_interaction = generator.normal(0, _SYSTEM_INTERACTION, (topics, teams.size))
    return hardness, abilities, team_interaction[:, teams] + own_interaction


def _record_published(session: Session, row: dict[str, str]) -> VarianceHistory:
    task = f"{row['task']} {row['subtask']}".strip()
    for scale in ("raw", "std-ab"):
        request = RecordVarianceRequest(
            task=task,
            round="NTCIR-12",
            measure=row["measure"],
            variance=float(row[f"variance_{scale.replace('-', '_')}"]),
            runs=int(row["runs"]),
            topics=int(row["topics"]),
            source=SOURCE,
            scale=scale,
            create=True,
        )
        record_variance(session, request)
    return show_variances(session, VarianceRequest(task=task, measure=row["measure"]))


def _table(name: str) -> list[dict[str, str]]:
    text = (files("roundbook.logbook") / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
