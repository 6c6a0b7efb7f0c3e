"""The doors against what they stand on: a bare endpoint, pandas and COPY, SQL, JSON and charts."""

from __future__ import annotations

import http.client
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from fastapi import FastAPI, Response
from sqlalchemy import Engine
from sqlalchemy.event import listen, remove
from tests.bench.bare_rows import copy_bare_rows, make_bare_table
from tests.serving import serving

import roundbook
from roundbook.api.app import PREFIX, make_app
from roundbook.database.engine import unit_of_work
from roundbook.logbook.session import begin
from roundbook.logbook.variances import show_variances
from roundbook.presentation.charts.files import svg
from roundbook.requests.variances import VarianceRequest
from roundbook.settings import load_settings

SIZE = 1000
Compare = Callable[..., None]


def bench_doors(engine: Engine, compare: Compare) -> None:
    """Compare the service, and Python, with what is below them; `engine` is of a record."""
    address = engine.url.render_as_string(hide_password=False)
    generator = np.random.default_rng(5)
    with roundbook.open(address) as book:
        for number in range(10):
            scores = generator.random((50, 20)).round(4)
            names = {"topics": range(50), "runs": [f"run{run}" for run in range(20)]}
            book.log("doors", f"round{number}", scores, "AP", create=True, **names)
        statements: list[tuple[str, Any]] = []

        def note(_: object, __: object, statement: str, given: object, *___: object) -> None:
            if "set_config" not in statement:  # which every transaction begins with
                statements.append((statement, given))

        with begin(engine) as session:
            listen(engine, "before_cursor_execute", note)
            show_variances(session, VarianceRequest(task="doors", measure="AP"))
            remove(engine, "before_cursor_execute", note)

        def its_sql() -> None:
            with unit_of_work(engine) as connection:
                for statement, given in statements:
                    connection.exec_driver_sql(statement, given).all()

        # As short as it is, a few times would measure what else the machine does.
        compare(
            "book.variances() : its SQL",
            lambda: book.variances("doors", "AP"),
            its_sql,
            1.5,
            times=51,
        )
    path = f"{PREFIX}/variances?task=doors&measure=AP"
    with serving(make_app(load_settings(), engine, open_to_all=True)) as port:
        body = ask(port, path)
        bare = FastAPI()
        bare.state.settings = load_settings()

        @bare.get("/bare")
        def answer(task: str, measure: str) -> Response:
            return Response(body, media_type="application/json")

        with serving(bare) as other:
            compare(
                "100 variance histories over HTTP : the bytes alone",
                lambda: ask(port, path, 100),
                lambda: ask(other, "/bare?task=doors&measure=AP", 100),
                2,
                times=15,
            )
        wide = pd.DataFrame(
            generator.random((SIZE, SIZE)).round(4),
            index=pd.Index([f"t{number}" for number in range(SIZE)], name="topic"),
            columns=[f"run{number}" for number in range(SIZE)],
        )
        sent = wide.to_csv().encode()
        labels = iter(range(1_000_000))

        def upload() -> None:
            where = f"{PREFIX}/log?task=wide&round={next(labels)}&measures=AP&create=true"
            assert b'"logged"' in ask(port, where, body=sent)

        make_bare_table(engine)

        def pandas_and_copy() -> None:
            read = pd.read_csv(io.BytesIO(sent), index_col=0)
            copy_bare_rows(engine, read.to_numpy().T)

        compare("upload 1,000 x 1,000 : pandas and COPY", upload, pandas_and_copy, 1.5)

        # Drawings are kept by what they show: every time it is of another measure.
        asked = [f"P@{number}" for number in range(1, 13)]
        with roundbook.open(address) as book:
            for label in "123":
                for measure in asked:
                    scores = generator.random((30, 20)).round(4)
                    names = {"topics": range(30), "runs": [f"run{run}" for run in range(20)]}
                    book.log("pages", label, scores, measure, create=True, **names)
            pages, answers = iter(asked[:6]), iter(asked[6:])

            def page() -> None:
                assert ask(port, f"/task?task=pages&measure={next(pages)}").count(b"<figure") == 4

            def json_and_charts() -> None:
                of = {"task": "pages", "measure": next(answers)}
                book.ask("topics", task="pages").model.model_dump_json()
                for name in ("variances", "ageing", "drift", "factors"):
                    more = {"round": "1"} if name == "factors" else {}
                    answer = book.ask(name, **of, **more)
                    answer.model.model_dump_json()
                    svg(answer.chart())

            compare(
                "the page of a task : its answers as JSON, its charts", page, json_and_charts, 3
            )


def ask(port: int, path: str, times: int = 1, body: bytes | None = None) -> bytes:
    """Return what a service answers on a path, asked so many times."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for _ in range(times):
        connection.request("GET" if body is None else "POST", path, body)
        answer = connection.getresponse()
        read = answer.read()
        assert answer.status == 200, read[:500]
    connection.close()
    return read
