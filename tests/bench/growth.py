"""A record that grew, against the same record at a quarter of its age: four times as long at most.

What grows faster than the record shows only here: with three rounds every query is quick.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sqlalchemy import Engine
from tests.bench.doors import ask
from tests.factories import export_archive
from tests.serving import serving

import roundbook
from roundbook.api.app import make_app
from roundbook.python.book import Book
from roundbook.settings import load_settings

ROUNDS = 50
TIMES = 4
# More than 1, as times vary from run to run.
AT_MOST = 1.25
Compare = Callable[..., None]


def bench_growth(engine: Engine, compare: Compare) -> None:
    """Ask tasks of 50 and 200 rounds, with a drift report and a study a round, the same."""
    address = engine.url.render_as_string(hide_password=False)
    young, old = "young", "old"
    with (
        TemporaryDirectory() as directory,
        roundbook.open(address) as book,
        serving(make_app(load_settings(), engine, open_to_all=True)) as port,
    ):
        for task, rounds in ((young, ROUNDS), (old, TIMES * ROUNDS)):
            _fill(book, task, rounds)

        questions: dict[str, Callable[[str], object]] = {
            "results": book.results,
            "rounds": book.rounds,
            "matrices": lambda task: book.matrices(task, superseded=True),
            "events": lambda task: book.events(task, limit=100_000),
            "drift curve": lambda task: book.ageing(task, "AP"),
            "generalisability": lambda task: book.generalisability(task, "AP"),
            "archive": lambda task: export_archive(
                engine, Path(directory) / "archive.zip", tasks=(task,), force=True
            ),
            "page of results": lambda task: ask(port, f"/results?task={task}"),
            "page of the task": lambda task: ask(port, f"/task?task={task}"),
        }
        for name, question in questions.items():
            compare(
                f"{name}, {TIMES * ROUNDS} rounds : {TIMES} times {ROUNDS}",
                lambda question=question: question(old),
                lambda question=question: question(young),
                AT_MOST,
                scale=TIMES,
            )


def _fill(book: Book, task: str, rounds: int) -> None:
    """Log rounds that share topics, each with a drift report and a study, and save a plan.

    One plan, since a plan lists every round it rests on: a plan a round is a square by itself.
    """
    generator = np.random.default_rng(rounds)
    runs = [f"run{number}" for number in range(6)]
    for number in range(rounds):
        topics = [f"t{3 * number + topic}" for topic in range(12)]
        scores = generator.random((12, 6)).round(4)
        label = f"round{number}"
        book.log(task, label, scores, "AP", topics=topics, runs=runs, create=True)
        of = {"task": task, "measure": "AP"}
        if number:
            book.save("drift", name=f"{task} drift {number}", **of)
            # Of this round alone, so that the rounds to come leave it as it is.
            study = {"study": "swap-rate", "round": label, "trials": 100}
            book.save("study", name=f"{task} study {number}", **of, **study)
    book.save("plan", name=f"{task} plan", **of, m=[2], min_d=[0.1])
