"""A new kind of saved result takes its own modules and one line in the registry."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import typer
from fastapi.testclient import TestClient
from sqlalchemy import select, text
from tests.archives import table_in
from tests.factories import log_scores, verify_record

from roundbook.api.app import make_app
from roundbook.database.engine import unit_of_work
from roundbook.database.tables import metadata, result
from roundbook.logbook import kinds, saving
from roundbook.logbook.input_rows import CurrentInputs
from roundbook.logbook.lookup import find_task
from roundbook.logbook.measures import measure_among
from roundbook.logbook.result import Result, read_result
from roundbook.logbook.session import begin
from roundbook.logbook.studies.studies import STUDIES
from roundbook.requests.base import Request
from roundbook.settings import load_settings


class TopicsRequest(Request):
    """Which task's topics to count, under which measure."""

    task: str
    measure: str


class Topics(Result):
    """How many factor sets count, and the highest version of them."""

    task: str
    measure: str
    factor_sets: int
    version: int


def inputs(current, request):
    measure = measure_among(current.measures, request.task, request.measure)
    return current.of_rounds("factor_set", measure.id)


def compute(session, request):
    task_id = find_task(session.connection, request.task)
    rows = inputs(CurrentInputs(session.connection, task_id), request)
    return Topics(
        task=request.task,
        measure=request.measure,
        factor_sets=len(rows),
        version=max(row.version for row in rows),
    )


KIND = kinds.Kind(
    title="count",
    request=TopicsRequest,
    compute=compute,
    saved_request=lambda request, _: request,
    today=inputs,
    brief=lambda stored: {"measure": stored["measure"], "sets": stored["factor_sets"]},
    read=lambda stored, what: read_result(Topics, stored, what),
    differences=lambda connection, row, counted, request: (
        [] if counted.factor_sets == 2 else [{"what": "factor_sets", "computed": 2}]
    ),
)
WORDS = SimpleNamespace(
    brief_sentence=lambda brief: f"{brief['sets']} factor sets",
    scope=lambda entry: f"all rounds of '{entry.task}'",
)
PRINT = SimpleNamespace(
    print_saved=lambda shown, form, *, details: typer.echo(f"{shown.name} {shown.result.version}")
)


def test_it_is_saved_listed_shown_renewed_and_verified(engine, terminal, monkeypatch, tmp_path):
    monkeypatch.setitem(kinds.KINDS, "count", "counts")
    monkeypatch.setitem(sys.modules, "roundbook.logbook.counts", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "roundbook.logbook.counts.kind", SimpleNamespace(KIND=KIND))
    monkeypatch.setitem(sys.modules, "roundbook.presentation.saved_counts", WORDS)
    monkeypatch.setitem(sys.modules, "roundbook_cli.saved_counts", PRINT)
    scores = [np.random.default_rng(seed).random((4, 3)) for seed in range(3)]
    first = log_scores(engine, "1", scores[0]).matrix
    log_scores(engine, "2", scores[1])
    with begin(engine, "ann") as session:
        saving.save_result(session, "count", TopicsRequest(task="t", measure="AP"))
    assert "2 factor sets" in terminal("result", "list", "t").out
    assert terminal("result", "show", "t/count-1").out == "t/count-1 1\n"
    assert verify_record(engine).status == "verified"
    log_scores(engine, "1", scores[2], revise="misprint")
    printed = terminal("impact", str(first)).out
    assert "count 't/count-1'" in printed
    assert "roundbook result renew t/count-1" in printed
    assert terminal("result", "renew", "t", "--stale").code == 0
    assert terminal("result", "show", "t/count-1").out == "t/count-1 2\n"
    assert terminal("result", "list", "t", "--stale").out == "No result is stale.\n"
    assert "no saved count 'nope'" in terminal("result", "show", "nope", "--kind", "count").err
    with TestClient(make_app(load_settings(), engine, open_to_all=True)) as service:
        for page in ("/results", "/result?name=t/count-1", "/api/v1/result?name=t/count-1"):
            answer = service.get(page)
            assert (answer.status_code, "count-1" in answer.text) == (200, True), answer.text
    assert terminal("export", str(tmp_path / "t.zip")).code == 0


STUDIES_OF = {
    "discriminative-power": {"trials": 50, "resamples": 100},
    "swap-rate": {"trials": 20},
    "across-rounds": {"trials": 50, "swap_trials": 20},
    "incremental": {"difference": 0.1, "start": 2},
    "change": {"to_round": "2", "pivot": "a0", "match": "tag", "trials": 50},
    "leave-one-out": {"reassessed": True},
    "leave-one-out-rounds": {},
    "leave-teams-out": {"teams_left": [2], "trials": 10},
    "topic-subsets": {"topics": [4], "trials": 10},
    "per-topic-variance": {},
}


def whole_numbers(value, key=""):
    """Yield each whole number in JSON, with the key it stands under."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from whole_numbers(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from whole_numbers(part, key)
    elif isinstance(value, int):
        yield key, value


@pytest.mark.long
def test_an_archive_has_no_number_of_the_record_it_is_of(engine, terminal, tmp_path):
    """Its rows are numbered from ten million on, and a result of every kind is saved in it."""
    first = 10**7
    with unit_of_work(engine) as connection:
        for table in metadata.tables.values():
            if "id" in table.columns:
                connection.execute(text(f"ALTER TABLE {table} ALTER id RESTART WITH {first}"))
        connection.commit()
    chance = np.random.default_rng(3)
    tags = [f"{team}{number}" for team in "abc" for number in range(2)]
    lists = [
        f"t{topic} Q0 d{document} 1 {9 - rank} {tag}\n"
        for tag in tags
        for topic in range(6)
        for rank, document in enumerate(chance.permutation(12)[:8])
    ]
    grades = [f"t{topic} 0 d{n} {chance.integers(2)}\n" for topic in range(6) for n in range(12)]
    rows = [",".join((f"t{t}", *map(str, chance.random(6)))) for t in range(6)]
    for name, lines in {
        "runs": lists,
        "qrels": grades,
        "teams": ["run,team,contributed_to_pool\n", *(f"{tag},{tag[0]},yes\n" for tag in tags)],
        "scores": [f"topic,{','.join(tags)}\n", "\n".join(rows)],
    }.items():
        (tmp_path / name).write_text("".join(lines))
    for words in (
        ("run", "log", "t", "1", str(tmp_path / "runs"), "--create"),
        ("qrels", "log", "t", "1", str(tmp_path / "qrels")),
        ("round", "teams", "t", "1", str(tmp_path / "teams")),
        ("log", "t", "1", "--from-runs", "--measure", "AP"),
        ("log", "t", "2", str(tmp_path / "scores"), "--measure", "AP", "--create"),
        ("round", "teams", "t", "2", str(tmp_path / "teams")),
    ):
        done = terminal(*words)
        assert done.code == 0, done.err
    of = {"task": "t", "measure": "AP"}
    saved = {
        "plan": of | {"assessments": ("official",)},
        "drift": of | {"from_round": "1", "to_round": "2"},
        **{study: of | {"round": "1"} | fields for study, fields in STUDIES_OF.items()},
    }
    for study in ("across-rounds", "leave-one-out-rounds"):
        del saved[study]["round"]
    with begin(engine, "ann") as session:
        for name, asked in saved.items():
            kind, fields = kinds.kind_and_fields(name, asked)
            saving.save_result(session, kind, kinds.find_kind(kind).request(**fields))
        results = session.connection.execute(select(result.c.kind, result.c.result)).all()
    assert {row.kind for row in results} == set(kinds.KINDS)
    assert set(STUDIES_OF) == set(STUDIES)
    held = {key for row in results for key, number in whole_numbers(row.result) if number >= first}
    assert held == {"matrix", "from_matrix", "to_matrix", "factors_of", "estimate"}
    assert terminal("export", str(tmp_path / "t.zip")).code == 0
    for row in table_in(tmp_path / "t.zip", "result"):
        for column in ("result", "request"):
            numbers = whole_numbers(json.loads(row[column]))
            assert not [found for found in numbers if found[1] >= first], row["name"]


def test_what_lists_saved_results_imports_nothing_to_compute_with():
    code = (
        "import importlib, sys\nfrom roundbook.logbook import kinds, saved_results\n"
        "from roundbook.logbook.impact import show_impact\n"
        "from roundbook.presentation.impact import dependent_row\n"
        "for name, package in kinds.KINDS.items():\n"
        "    kinds.find_kind(name)\n"
        "    importlib.import_module(f'roundbook.presentation.saved_{package}')\n"
        "from roundbook.logbook.studies.studies import STUDIES\n"
        "from roundbook.presentation.studies.common import study_module\n"
        "for name in STUDIES:\n"
        "    study_module(name)\n"
        "print({'numpy', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
