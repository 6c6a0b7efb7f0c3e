"""``make bench``: ratios against a named alternative, both sides measured in turn in one run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
from pyNTCIREVAL import metrics
from pyNTCIREVAL.labeler import Labeler
from sqlalchemy import Engine, text
from tests.bench.bare_rows import copy_bare_rows, make_bare_table, read_bare_rows
from tests.bench.doors import bench_doors
from tests.bench.growth import bench_growth
from tests.factories import log_matrix, show_histories
from tests.outcomes import PROGRAM

from roundbook.database.engine import unit_of_work
from roundbook.database.vectors import read_vectors
from roundbook.embedded.server import embedded_server
from roundbook.formats import ScoreMatrix, read_scores
from roundbook.formats.trec import read_runs
from roundbook.logbook.runs.log_runs import log_runs
from roundbook.logbook.session import begin, embedded_record
from roundbook.logbook.studies.workers import study_workers
from roundbook.logbook.variance_rows import HISTORY
from roundbook.requests.runs import LogRuns
from roundbook.settings import load_settings
from roundbook.statistics.design import solve_topics
from roundbook.statistics.measures.hits import Judgments, find_hits, relevant_hits
from roundbook.statistics.measures.measure import parse_measure
from roundbook.statistics.studies.leave_one_out import leave_one_out
from roundbook.statistics.studies.resampled_precision import resample_ranks
from roundbook.statistics.studies.scoring import (
    ReassessedScores,
    find_contributions,
    kept_judgments,
)
from roundbook.statistics.studies.single_pairs import bootstrap_test
from roundbook.statistics.studies.swap_rate import swap_rate
from roundbook.statistics.studies.tukey import tukey_test

TOPICS = RUNS = 1000


def main() -> None:
    """Run every comparison and print one line each."""
    print(f"{'':50} {'ours':>9} {'other':>9} {'ratio':>7} {'at most':>8}")
    settings = load_settings()
    with (
        tempfile.TemporaryDirectory() as directory,
        embedded_record(Path(directory) / "postgres", settings, throw_away=True) as engine,
    ):
        bench_database(engine)
        bench_history(engine)
        bench_runs(engine)
        bench_doors(engine, compare)
        bench_growth(engine, compare)
    bench_files()
    bench_help()
    bench_commands()
    bench_plans()
    bench_studies()
    bench_leaving_out()


def bench_database(engine: Engine) -> None:
    """Write and read a score matrix, against one row a score in a bare table."""
    make_bare_table(engine)
    generator = np.random.default_rng(1)
    labels = count(1)
    topics = tuple(f"topic{j}" for j in range(TOPICS))
    runs = tuple(f"run{i}" for i in range(RUNS))
    logged: list[int] = []
    scores = generator.random((RUNS, TOPICS))

    def ours() -> None:
        matrix = ScoreMatrix(topics, runs, scores.T, None, "wide", ("memory",))
        done = log_matrix(
            engine,
            "bench",
            f"round{next(labels)}",
            "AP",
            matrix,
            create=True,
            user="bench",
        )
        assert done.matrix is not None
        logged.append(done.matrix)

    compare(
        "log 1,000 x 1,000 : raw COPY of a million rows",
        ours,
        lambda: copy_bare_rows(engine, scores),
        0.6,
    )

    def read_ours() -> None:
        with unit_of_work(engine) as connection:
            assert read_vectors(connection, logged[-1], TOPICS).shape == (TOPICS, RUNS)

    def read_bare() -> None:
        assert read_bare_rows(engine, scores.size).size == scores.size

    compare("read it into NumPy : binary COPY of the rows", read_ours, read_bare, 0.1)


def bench_history(engine: Engine) -> None:
    """Read the variances of 1,000 rounds that share topics, against the bare query for them."""
    generator = np.random.default_rng(2)
    runs = tuple(f"run{i}" for i in range(20))
    shared = tuple(f"shared{j}" for j in range(25))
    for number in range(1000):
        topics = (*shared, *(f"{number}-{j}" for j in range(25)))
        scores = generator.random((50, 20)) * 0.6 + generator.random((50, 1)) * 0.4
        matrix = ScoreMatrix(topics, runs, scores, None, "wide", ("memory",))
        log_matrix(
            engine,
            "history",
            f"round{number}",
            "AP",
            matrix,
            create=True,
            user="bench",
        )
    with unit_of_work(engine) as connection:
        task_id = connection.execute(
            text("SELECT id FROM roundbook.task WHERE name = 'history'")
        ).scalar_one()
    filters = {
        "task": task_id,
        "scale": "raw",
        "measures": None,
        "rounds": None,
        "assessments": None,
        "mixed": False,
    }

    def ours() -> None:
        (history,) = show_histories(engine, "history").histories
        assert len(history.rounds) == 1000
        assert history.pooled.topics == 25 + 1000 * 25
        assert history.pooled.interval is not None
        assert history.pooled.homogeneity.p_value is not None

    def bare() -> None:
        with unit_of_work(engine) as connection:
            assert len(connection.execute(text(HISTORY), filters).all()) == 1000

    compare("variance history, 1,000 rounds : its bare query", ours, bare, 3.0)
    with unit_of_work(engine) as connection:
        connection.execute(text("SELECT pg_stat_force_next_flush()"))
        connection.commit()
        before = connection.execute(text(_SCORES_READ)).scalar_one()
    ours()
    with unit_of_work(engine) as connection:
        connection.execute(text("SELECT pg_stat_force_next_flush()"))
        connection.commit()
        read = connection.execute(text(_SCORES_READ)).scalar_one() - before
    print(f"{'score vectors read by the history':50} {read:9} {'':9} {'':7} {0:8}")


_SCORES_READ = (
    "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_all_tables"
    " WHERE schemaname = 'roundbook' AND relname = 'score_vector'"
)


def bench_runs(engine: Engine) -> None:
    """Read and log 129 runs x 50 topics x 1,000 documents, against splitting the lines."""
    generator = np.random.default_rng(5)
    labels = count(1)
    with tempfile.TemporaryDirectory() as directory:
        pools = [generator.choice(500_000, 6_000, replace=False) for _ in range(50)]
        files = [Path(directory) / f"run{run}" for run in range(129)]
        for file in files:
            with file.open("w") as stream:
                for topic, pool in enumerate(pools, 301):
                    documents = generator.permutation(pool)[:1_000].tolist()
                    scores = np.sort(generator.gamma(2, 3, 1_000))[::-1].tolist()
                    stream.writelines(
                        f"{topic} Q0 LA{document:06}-{document % 9973:04} {rank} {score:.6f}"
                        f" {file.name}\n"
                        for rank, (document, score) in enumerate(
                            zip(documents, scores, strict=True), 1
                        )
                    )

        def split() -> None:
            for file in files:
                with file.open() as stream:
                    for line in stream:
                        line.split()

        def log() -> None:
            request = LogRuns(
                task="runs", round=f"round{next(labels)}", files=(Path(directory),), create=True
            )
            with begin(engine, "bench") as session:
                assert log_runs(session, request).lists == 6_450

        compare(
            "read 129 runs x 50 x 1,000 : Python's line.split()",
            lambda: read_runs([directory], max_bytes=2**28),
            split,
            2.0,
            times=3,
        )
        compare("log 129 runs x 50 x 1,000 : Python's line.split()", log, split, 3.0, times=3)


def bench_files() -> None:
    """Read a file of very many topics and one of very many runs, against NumPy's reader."""
    generator = np.random.default_rng(4)
    with tempfile.TemporaryDirectory() as directory:
        ours, numbers = Path(directory) / "scores.csv", Path(directory) / "numbers.csv"
        for topics, runs in ((200_000, 2), (2, 400_000)):
            rows = [",".join(map(repr, row)) for row in generator.random((topics, runs)).tolist()]
            header = ",".join(["topic", *(f"run{number}" for number in range(runs))])
            named = (f"topic{number},{row}" for number, row in enumerate(rows))
            ours.write_text("\n".join((header, *named)))
            numbers.write_text("\n".join(rows))
            compare(
                f"read {topics:,} topics x {runs:,} runs : numpy.loadtxt",
                lambda: read_scores([ours], measure="AP"),
                lambda: np.loadtxt(numbers, delimiter=","),
                3.0,
            )


def bench_help() -> None:
    """Start the program for --help, against the smallest Typer program's."""
    hello = (
        "import typer\napp = typer.Typer()\n@app.command()\ndef hello(name: str) -> None:\n"
        "    print(name)\napp()"
    )
    ours = [*PROGRAM, "--help"]
    plan = [*PROGRAM, "plan", "--variance", "0.05"]
    bare = [sys.executable, "-c", hello, "--help"]
    imports = [sys.executable, "-c", "import numpy, scipy.special, pydantic, typer, rich.table"]

    def start(command: list[str]) -> Callable[[], object]:
        return lambda: subprocess.run(command, check=True, capture_output=True)

    compare("roundbook --help : a Typer hello's", start(ours), start(bare), 1.5, times=11)
    compare("roundbook plan --variance : its imports", start(plan), start(imports), None)


def bench_commands() -> None:
    """Run a command on a running server, and ten with the embedded server kept up."""
    libraries = "import sqlalchemy, psycopg, numpy, pydantic, typer, rich"
    plain = {name: value for name, value in os.environ.items() if "ROUNDBOOK_" not in name}

    def run(directory: str, *words: str, **settings: str) -> None:
        subprocess.run(
            [*PROGRAM, *words],
            check=True,
            capture_output=True,
            env=plain | {"ROUNDBOOK_DATA_DIR": directory} | settings,
        )

    def loop(directory: str) -> None:
        for _ in range(10):
            run(directory, "task", "list")

    with (
        tempfile.TemporaryDirectory(prefix="rb") as kept_up,
        tempfile.TemporaryDirectory(prefix="rb") as stopped,
    ):
        for directory in (kept_up, stopped):
            run(directory, "task", "create", "bench")
        run(kept_up, "db", "start")
        try:
            with embedded_server(Path(kept_up) / "postgres") as address:
                scores = Path(kept_up) / "scores.csv"
                log_scores = ("log", "bench", "round1", str(scores), "--measure", "AP", "--create")
                generator = np.random.default_rng(6)
                lines = [
                    f"t{topic},{generator.random()},{generator.random()}" for topic in range(9)
                ]
                scores.write_text("\n".join(("topic,run1,run2", *lines)))
                run(kept_up, *log_scores, ROUNDBOOK_DATABASE_URL=address)
                for words, computed_with in (
                    ("task list", ""),
                    ("plan list", ""),
                    ("result list bench", ""),
                    ("variance show bench --measure AP", ", scipy.special"),
                ):
                    imports = [sys.executable, "-c", libraries + computed_with]
                    compare(
                        f"roundbook {' '.join(words.split()[:2])} : the imports of its libraries",
                        lambda words=words: run(
                            kept_up, *words.split(), ROUNDBOOK_DATABASE_URL=address
                        ),
                        lambda imports=imports: subprocess.run(
                            imports, check=True, capture_output=True
                        ),
                        1.3,
                        times=11,
                    )
            compare(
                "10 commands, server kept up : started by each",
                lambda: loop(kept_up),
                lambda: loop(stopped),
                0.9,
                times=3,
            )
        finally:
            run(kept_up, "db", "stop")


def bench_plans() -> None:
    """Solve the 240 cells of AIRS 2016 Table 2's size, against statsmodels cell by cell."""
    from statsmodels.stats.power import FTestAnovaPower

    variances = np.linspace(0.01, 0.12, 12)
    grid = np.array(
        [(v, m, d) for v in variances for m in (2, 10, 20, 30, 50) for d in (0.02, 0.05, 0.1, 0.2)]
    )
    assert len(grid) == 240
    solved: list[np.ndarray] = []

    def ours() -> None:
        solved.append(
            solve_topics("anova", grid[:, 2], grid[:, 0], runs=grid[:, 1].astype(int)).topics
        )

    def cell_by_cell() -> None:
        solver = FTestAnovaPower()
        sizes = [
            # effect size f: lambda = n minD^2 / (2 V) over all m n observations
            solver.solve_power(
                effect_size=d / np.sqrt(2 * v * m), k_groups=int(m), alpha=0.05, power=0.8
            )
            / m
            for v, m, d in grid
        ]
        assert np.abs(np.ceil(np.array(sizes).ravel()) - solved[-1]).max() <= 1

    compare("240 exact plan cells : statsmodels", ours, cell_by_cell, 0.1, times=3)

    large = np.meshgrid(
        np.linspace(0.01, 0.12, 25), (2, 5, 10, 20, 30, 50, 75, 100), np.linspace(0.02, 0.3, 50)
    )
    variance, runs, difference = (axis.ravel() for axis in large)
    assert variance.size == 10_000
    sample = np.random.default_rng(3).choice(10_000, 200, replace=False)

    def whole_grid() -> None:
        solve_topics("anova", difference, variance, runs=runs)

    def a_sample() -> None:
        solver = FTestAnovaPower()
        for cell in sample:
            effect = difference[cell] / np.sqrt(2 * variance[cell] * runs[cell])
            solver.solve_power(effect_size=effect, k_groups=int(runs[cell]), alpha=0.05, power=0.8)

    compare(
        "10,000 exact plan cells : statsmodels, 200 x 50",
        whole_grid,
        a_sample,
        0.02,
        times=3,
        scale=50,
    )


def bench_studies() -> None:
    """Study 78 runs on 100 topics, against loops with NumPy and the permutations alone."""
    generator = np.random.default_rng(4)
    scores = generator.beta(1, 3, (100, 78)).round(4)
    first, second = np.triu_indices(78, 1)

    def permutations() -> None:
        block = np.broadcast_to(scores, (200, 100, 78)).copy()
        for _ in range(50):
            generator.permuted(block, axis=2, out=block)

    compare(
        "Tukey HSD, 10,000 trials : its permutations",
        lambda: tukey_test(scores, trials=10_000),
        permutations,
        1.3,
        times=3,
    )

    def pair_by_pair() -> None:
        drawn = generator.integers(100, size=(1_000, 100))
        for i, k in zip(first[:10], second[:10], strict=True):
            difference = scores[:, i] - scores[:, k]
            centred = difference - difference.mean()
            t = abs(difference.mean()) / difference.std(ddof=1)
            reached = 0
            for sample in drawn:
                resampled = centred[sample]
                reached += abs(resampled.mean()) / resampled.std(ddof=1) >= t

    compare(
        "bootstrap of 3,003 pairs : a loop, 10 of them",
        lambda: bootstrap_test(scores, trials=1_000),
        pair_by_pair,
        0.05,
        times=3,
        scale=first.size / 10,
    )

    edges = [*np.arange(21) * 0.01 - 1e-11, np.inf]
    edges_in_sds = [*np.arange(21) * 0.05 - 1e-11, np.inf]
    sd = np.sqrt(scores.var(axis=0, ddof=1).mean())

    def trial_by_trial() -> None:
        histograms = np.zeros((6, 21))
        for _ in range(1_000):
            order = generator.permutation(100)
            means, others = (scores[part].mean(axis=0) for part in (order[:50], order[50:]))
            here = np.subtract.outer(means, means)[first, second]
            there = np.subtract.outer(others, others)[first, second]
            here[np.abs(here) < 1e-12] = there[np.abs(there) < 1e-12] = 0
            swapped, tied, size = here * there < 0, here * there == 0, np.abs(here)
            for row, some in enumerate((size, size[swapped], size[tied])):
                histograms[row] += np.histogram(some, edges)[0]
                histograms[3 + row] += np.histogram(some / sd, edges_in_sds)[0]

    compare(
        "swap rate, 1,000 trials : a loop over trials",
        lambda: swap_rate(scores, trials=1_000),
        trial_by_trial,
        0.2,
    )

    def by_workers(number: int) -> None:
        with study_workers(number) as mapped:
            tukey_test(scores, trials=250_000, mapped=mapped)

    # Two do it at least 1.7 times as fast as one, their start included, where two cores are free.
    compare(
        "Tukey HSD, 250,000 trials : one process, not two",
        lambda: by_workers(2),
        lambda: by_workers(1),
        1 / 1.7,
        times=2,
    )

    ranks = np.arange(50, 1_050, 100)
    by_rank = np.sort(generator.normal(size=1_000))[::-1]
    here, there = by_rank[ranks - 1], np.delete(by_rank, ranks - 1)

    def list_by_list() -> None:
        for _ in range(1_000):
            count = min(generator.poisson(10), 1_000)
            drawn = np.concatenate(
                [generator.choice(here, count), generator.choice(there, 1_000 - count)]
            )
            relevant = np.argsort(-drawn, kind="stable") < count
            precision = np.cumsum(relevant) / np.arange(1, 1_001)
            precision[relevant].sum()

    compare(
        "20,000 lists drawn again : one by one, 1,000",
        lambda: [resample_ranks(generator, 500, ranks, 1_000, 1_000) for _ in range(40)],
        list_by_list,
        0.02,
        scale=20,
    )


def bench_leaving_out() -> None:
    """Score 143 runs on 30 topics anew without each of 56 teams, against pyNTCIREVAL."""
    generator = np.random.default_rng(5)
    runs, topics, documents = 143, 30, 600
    grades = generator.choice([0, 1, 2], (topics, documents), p=(0.85, 0.08, 0.07))
    appeal = generator.normal(size=(runs, topics, documents)) + grades
    lists = np.argsort(-appeal, axis=2)[:, :, :100].astype(np.int32)
    judged = np.zeros(grades.shape, dtype=bool)
    np.put_along_axis(judged, lists[:, :, :7].transpose(1, 0, 2).reshape(topics, -1), True, axis=1)
    topic, document = np.nonzero(judged)
    judgments = Judgments(topics, topic, document, grades[judged])
    team = np.arange(runs) % 56
    hits = find_hits(lists, judgments)
    contributed = find_contributions(hits, judgments, team, np.ones(runs, dtype=bool), 7)
    gains = "gains=1:1,2:3"
    cut = ("nDCG({})@10", "nG({})@1", "Q({})@10", "P-plus({})@10", "nERR({})@10", "ERR({})@10")
    names = ("AP", "P@5", *(name.format(gains) for name in cut))

    def ours() -> None:
        for measure in map(parse_measure, names):
            needed = relevant_hits(hits, judgments, measure.cutoff)
            scoring = ReassessedScores(measure, needed, judgments, contributed)
            leave_one_out(scoring, team, scales=("raw", "std-ab", "std-cdf"))

    def cell_by_cell() -> None:
        kept = kept_judgments(contributed, np.arange(56) == 0)
        for number in range(topics):
            of_topic = kept & (topic == number)
            known = dict(
                zip(document[of_topic].tolist(), judgments.grade[of_topic].tolist(), strict=True)
            )
            labeler = Labeler(known)
            levels = labeler.compute_per_level_doc_num(3)
            for run in range(0, runs, 10):
                ranked = labeler.label(lists[run, number].tolist())
                for metric in (
                    metrics.AP(levels, [1, 3]),
                    metrics.Precision(5),
                    metrics.MSnDCG(levels, [1, 3], 10),
                    metrics.MSnDCG(levels, [1, 3], 1),
                    metrics.QMeasure(levels, [1, 3], 1, 10),
                    metrics.nERR(levels, [1, 3], 10),
                ):
                    metric.compute(ranked)
                for metric in (
                    metrics.PPlusMeasure(levels, [1, 3], 1),
                    metrics.ERR(levels, [1, 3]),
                ):
                    metric.compute(ranked[:10])

    compare(
        "leave out 56 teams : pyNTCIREVAL, a tenth of one",
        ours,
        cell_by_cell,
        0.02,
        times=1,
        scale=56 * runs / len(range(0, runs, 10)),
    )


def compare(
    name: str,
    ours: Callable[[], object],
    other: Callable[[], object],
    most: float | None,
    *,
    times: int = 5,
    scale: float = 1,
) -> None:
    """Time two callables in turn, after one warm-up each, and print the medians' ratio.

    `scale` is how much of the other's work was left out: its time counts so many times.
    """
    ours()
    other()
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for call, taken in zip((ours, other), seconds, strict=True):
            began = time.perf_counter()
            call()
            taken.append(time.perf_counter() - began)
    mine, theirs = map(statistics.median, seconds)
    theirs *= scale
    limit = "" if most is None else f"{most:8.2f}"
    print(f"{name:50} {mine:8.3f}s {theirs:8.3f}s {mine / theirs:7.3f} {limit}", flush=True)


if __name__ == "__main__":
    main()
