"""A small simulated campaign: the contents of a release's dump.

The campaign uses everything that a record can hold. Whoever makes the record hold more adds it
here before the release's dump is made; the dumps of earlier releases stay as they are.
"""

from __future__ import annotations

from contextlib import chdir
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sqlalchemy import Engine, text
from tests.factories import (
    create_round,
    create_task,
    fit_factor_set,
    log_matrix,
    publish_round,
    record_variance,
    restore_matrix,
    save_plan,
    save_report,
    set_round,
    withdraw_matrix,
)
from tests.releases.simulation import simulate_scores

from roundbook.formats import (
    CompleteMatrix,
    RunTeam,
    ScoreMatrix,
    apply_missing_policy,
)
from roundbook.logbook.matrices.log_matrix import LoggedMatrix
from roundbook.logbook.runs.assessing import log_qrels
from roundbook.logbook.runs.log_runs import log_runs
from roundbook.logbook.session import begin
from roundbook.logbook.tokens import create_token, revoke_token
from roundbook.requests.access import CreateToken, RevokeToken
from roundbook.requests.drift import DriftRequest
from roundbook.requests.plans import PlanRequest
from roundbook.requests.runs import LogQrels, LogRuns

SEED = 20260101
USER = "simulated"
MEASURES = ("nDCG@10", "P@5")
ROUNDS = {"2023": 0.0, "2024": 0.0, "2025": 0.5}
RUNS, SHARED, NEW = 8, 8, 4
PLAN = PlanRequest(
    task="web", measure="nDCG@10", assessments=("official",), m=(2, 10), min_d=(0.1, 0.2)
)
GUESS = PlanRequest(variance=0.05, m=(10,), min_d=(0.1,))
REPORT = DriftRequest(task="web", measure="nDCG@10", assessments="official")


def record_campaign(engine: Engine) -> None:
    """Record the campaign, the same numbers every time."""
    generator = np.random.default_rng(SEED)
    shared = generator.normal(-0.4, 0.9, SHARED)
    create_task(engine, "web", "Simulated web search", user=USER)
    create_round(engine, "web", "2023", held=date(2023, 11, 14), user=USER)
    for number, (label, centre) in enumerate(ROUNDS.items()):
        hardness = np.concatenate([shared, generator.normal(-0.4, 0.9, NEW)])
        topics = [*range(1, SHARED + 1), *(SHARED + number * NEW + np.arange(1, NEW + 1))]
        for measure in MEASURES:
            scores = simulate_scores(generator, hardness, RUNS, centre=centre)
            if measure == "P@5":
                scores = (scores * 5).round() / 5
                scores[0] = 0.0  # a topic without spread
            _log(engine, label, measure, _matrix(label, topics, scores))
            if label == "2024":
                noisy = (scores + generator.normal(0, 0.02, scores.shape)).clip(0, 1).round(4)
                _log(engine, label, measure, _matrix(label, topics, noisy), assessments="bronze")
            if (label, measure) == ("2023", "nDCG@10"):
                holes = scores.copy()
                holes[3, 2] = np.nan
                first = _matrix(label, topics, holes, "drop-topic")
                _log(engine, label, measure, first, revise="A topic was judged twice")
        if label == "2024":
            save_plan(engine, "next web", PLAN, note="Before the third round", user=USER)
    runs = [_run("2023", number) for number in range(4)]
    fit_factor_set(engine, "web", "2023", "nDCG@10", runs=runs, reason="Baselines only", user=USER)
    set_round(engine, "web", "2024", held=date(2024, 11, 12), collection="crawl 2", user=USER)
    set_round(engine, "web", "2025", collection="crawl 2", user=USER)
    save_plan(engine, "next web", PLAN, user=USER)
    save_plan(engine, "a guess", GUESS, user=USER)
    _record_published(engine)
    asked = REPORT.model_dump(exclude_unset=True)
    save_report(engine, **asked, note="For the overview paper", user=USER)
    _correct(engine)
    # Who sent the runs of the first round was found out at last.
    known = {run: RunTeam(run, f"Team {int(run[-1]) % 3}", None, None, None) for run in first.runs}
    _log(engine, "2023", "nDCG@10", first, teams=known)
    _log_runs(engine, generator)
    # An id that no scores have yet: it changes no answer.
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO roundbook.topic_alias (task_id, name, topic_id, software, recorded_by)"
                " SELECT task_id, name || ' again', id, 's', 'simulated' FROM roundbook.topic"
                " ORDER BY id LIMIT 1"
            )
        )


def _log_runs(engine: Engine, generator: np.random.Generator) -> None:
    """Log what the runs of a round retrieved, in two uploads, and its assessments, revised once."""
    topics = [str(topic) for topic in range(1, SHARED + 1)]
    with TemporaryDirectory() as directory, chdir(directory), begin(engine, USER) as session:
        of_round = {"task": "web", "round": "2025"}
        for name, numbers in (("first.run", range(RUNS - 1)), ("last.run", [RUNS - 1])):
            lines = [
                f"{topic} Q0 doc{document} {rank} {score:.4f} {_run('2025', number)}\n"
                for number in numbers
                for topic in topics
                for rank, (document, score) in enumerate(
                    zip(
                        generator.choice(30, 12, replace=False),
                        np.sort(generator.gamma(2.0, 3.0, 12))[::-1],
                        strict=True,
                    ),
                    1,
                )
            ]
            Path(name).write_text("".join(lines), encoding="utf-8")
            asked = LogRuns(**of_round, files=(Path(name),))
            log_runs(session, asked)
        judged = [
            f"{topic} 0 doc{document} {max(0, grade - 1)}\n"
            for topic in topics
            for document, grade in enumerate(generator.integers(0, 4, 34))
        ]
        for lines, reason in ((judged[:-1], None), (judged, "A judgment was lost")):
            Path("official.qrels").write_text("".join(lines), encoding="utf-8")
            asked = LogQrels(**of_round, file=Path("official.qrels"), revise=reason)
            log_qrels(session, asked)


def _correct(engine: Engine) -> None:
    scores = simulate_scores(np.random.default_rng(SEED + 1), np.zeros(SHARED), RUNS)
    for assessments in ("crowd", "second crowd"):
        again = _matrix("2025", list(range(1, SHARED + 1)), scores)
        logged = _log(engine, "2025", "nDCG@10", again, assessments=assessments)
        assert logged.matrix is not None
        withdraw_matrix(engine, logged.matrix, "The assessors guessed", user=USER)
    restore_matrix(engine, logged.matrix, "These did not", user=USER)
    publish_round(engine, "web", "2023", reason="The proceedings are out", user=USER)


def _record_published(engine: Engine) -> None:
    create_task(engine, "speech", user=USER)
    with begin(engine, USER) as session:
        create_token(session, CreateToken(name="nightly bake-off", scope="log", task="speech"))
        revoke_token(session, RevokeToken(name="nightly bake-off"))
    published = (
        ("I", "raw", 0.061, 9, None),
        ("II", "raw", 0.052, None, None),
        ("II", "raw", 0.0525, None, "A misprint"),
        ("II", "std-ab", 0.0161, None, None),
    )
    for label, scale, variance, teams, reason in published:
        record_variance(
            engine,
            "speech",
            label,
            "nDCG@10",
            variance=variance,
            runs=20,
            topics=50,
            teams=teams,
            source="An overview that nobody wrote, Table 1",
            scale=scale,
            create=True,
            revise=reason,
            user=USER,
        )


def _run(label: str, number: int) -> str:
    return f"{label}-run{number + 1}"


def _matrix(
    label: str, topics: list[int], scores: np.ndarray, missing: str = "reject"
) -> CompleteMatrix:
    return apply_missing_policy(
        ScoreMatrix(
            topics=tuple(map(str, topics)),
            runs=tuple(_run(label, number) for number in range(RUNS)),
            scores=np.asfortranarray(scores),
            measure=None,
            layout="wide",
            files=(f"simulated, seed {SEED}",),
        ),
        missing,
    )


def _teams(label: str, matrix: CompleteMatrix) -> dict[str, RunTeam]:
    # Half of the runs of 2024 came too late for the pool; some teams bring a system back.
    teams = {
        run: RunTeam(run, f"Team {number % 3}", "automatic", number % 2 == 0, f"system{number % 3}")
        for number, run in enumerate(matrix.runs)
        if label != "2023"
    }
    if label == "2025":
        teams = {run: RunTeam(run, "Team 1", None, None, None) for run in list(teams)[:3]}
    return teams


def _log(
    engine: Engine,
    label: str,
    measure: str,
    matrix: CompleteMatrix,
    *,
    assessments: str = "official",
    revise: str | None = None,
    teams: dict[str, RunTeam] | None = None,
) -> LoggedMatrix:
    if teams is None:
        teams = _teams(label, matrix)
    return log_matrix(
        engine,
        "web",
        label,
        measure,
        matrix,
        teams=teams,
        assessments=assessments,
        create=True,
        revise=revise,
        tool="simulator 1.0",
        user=USER,
    )
