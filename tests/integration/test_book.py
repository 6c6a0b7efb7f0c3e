"""The Python door: scores in as frames, arrays, files; answers out as frames, words, charts."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.factories import simulated
from tests.forked import race, run_apart

import roundbook
from roundbook.errors import (
    BadFileError,
    ContentDiffersError,
    DatabaseUnreachableError,
    InputError,
    MissingExtraError,
    NotRecordedError,
    RequestError,
    SchemaOutOfDateError,
    WithdrawnError,
)
from roundbook.presentation.impact import DEPENDENT_TYPES
from roundbook.presentation.studies.swap_rate import protocol
from roundbook.presentation.views import columns_of
from roundbook.python import answers
from roundbook.python.answers import Answer
from roundbook.settings import Settings
from roundbook.use_cases import USE_CASES

pytestmark = pytest.mark.one_server
TOPICS, RUNS = [f"t{number}" for number in range(1, 13)], list("abcdef")


def scores(seed=0):
    return simulated(seed, 12, 6)


def test_scores_come_in_as_python_has_them(book, tmp_path):
    array = scores()
    wide = pd.DataFrame(array, index=pd.Index(TOPICS, name="topic"), columns=RUNS)
    long = wide.reset_index().melt("topic", var_name="run", value_name="score")
    path = tmp_path / "wide.csv"
    wide.to_csv(path)
    logged = book.log("t", "1", array, "AP", topics=TOPICS, runs=RUNS, create=True)
    assert (logged.matrix, logged.topics, logged.runs, logged.status) == (1, 12, 6, "logged")
    named = pl.DataFrame(wide.reset_index())
    for same in (
        wide,
        wide.rename_axis(None),
        wide.rename_axis(None).astype(object),
        long.set_index(["topic", "run"]),
        wide.reset_index(),
        long,
        long[long["score"] > -1].sample(frac=1, random_state=0),
        named,
        path,
        str(path),
        [path],
        io.BytesIO(path.read_bytes()),
        io.StringIO(path.read_text()),
    ):
        (again,) = book.log("t", "1", same, "AP").matrices
        assert (again.matrix, again.status) == (1, "unchanged")
    assert book.ask("matrix", matrix=1).files == ["array"]
    whole = pd.DataFrame({"number": [301, 302], "a": [0.1, 0.2], "b": [0.2, 0.5]})
    (of_numbers,) = book.log("t", "2", whole, "AP", create=True, dry_run=True).matrices
    assert (of_numbers.topics, of_numbers.runs) == (2, 2)
    # One value for a field of several; None is none.
    several = book.plan(variance=0.05, m=[10], topics=[])
    assert book.plan(variance=0.05, m=10, topics=None).model == several.model
    for fields in ({"measures": "AP"}, {"measures": None}):
        assert [one.measure for one in book.ask("histories", task="t", **fields).histories] == [
            "AP"
        ]
    from_numpy = book.plan(variance=np.float64(0.05), m=np.int64(10), alpha=np.float64(0.05))
    assert from_numpy.model == several.model
    assert book.plan(variance=0.05, m=np.array([10])).model == several.model
    with pytest.raises(RequestError, match="`m` takes several values"):
        book.plan(variance=0.05, m=object())
    (dry,) = book.log("t", "2", wide / 2, "AP", create=True, dry_run=True).matrices
    assert (dry.status, dry.dry_run) == ("logged", True)
    assert [row.round for row in book.rounds("t").rounds] == ["1"]
    assert [row.status for row in book.round("t", "1").matrices] == ["current"]
    both = pd.concat([long.assign(measure="AP"), long.assign(measure="P@5")])
    several = book.log("t", "3", both, all_measures=True, create=True)
    assert [one.measure for one in several.matrices] == ["AP", "P@5"]
    with_gap = wide.copy()
    with_gap.iloc[2, 3] = np.nan
    with pytest.raises(InputError, match="missing"):
        book.log("t", "4", with_gap, "AP", create=True)
    with pytest.raises(ContentDiffersError):
        book.log("t", "1", wide / 2, "AP")
    (revised,) = book.log("t", "1", wide / 2, "AP", revise="halved").matrices
    assert revised.revision == 2
    assert book.ask("matrix", matrix=revised.matrix).files == ["the frame"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"scores": 3}, "path, an open file, a data frame"),
        ({"scores": scores()}, "beside `topics` and `runs`, an array; what is of type ndarray"),
        ({"scores": scores(), "topics": TOPICS}, "An array takes `topics`, `runs` and one"),
        ({"scores": pd.DataFrame(scores()).stack()}, "what is of type Series by itself"),
        (
            {"scores": scores(), "topics": TOPICS, "runs": RUNS[1:]},
            "12 x 6, and 12 topics and 5 runs",
        ),
        ({"scores": scores(), "topics": TOPICS, "runs": list("aacdef")}, "run 'a' is named twice"),
        (
            {"scores": scores(), "topics": TOPICS, "runs": ["a", "a ", *"cdef"]},
            "run 'a' is named twice",
        ),
        (
            {"scores": scores(), "topics": TOPICS, "runs": ["a", " ", *"cdef"]},
            "^array: the run name is empty",
        ),
        (
            {"scores": scores(), "topics": ["a\x00", *TOPICS[1:]], "runs": RUNS},
            r"^array: the topic name 'a\\x00' holds a control or invisible",
        ),
        (
            {"scores": scores(), "topics": ["a" * 501, *TOPICS[1:]], "runs": RUNS},
            "^array: the topic name .* has 501 characters",
        ),
        (
            {
                "scores": np.ma.masked_equal(scores(), scores()[2, 3]),
                "topics": TOPICS,
                "runs": RUNS,
            },
            f"^array: 1 score is missing: topic {TOPICS[2]} of run {RUNS[3]}",
        ),
        ({"scores": "no", "topics": TOPICS, "runs": RUNS}, "no array of numbers"),
        ({"scores": scores() * np.inf, "topics": TOPICS, "runs": RUNS}, "infinite"),
        (
            {"scores": scores(), "topics": TOPICS, "runs": RUNS, "teams": "t.csv"},
            "without `teams`: record them by describe_teams",
        ),
        ({"scores": pd.DataFrame(scores(), columns=RUNS)}, "in the index or in a column `topic`"),
        ({"scores": pl.DataFrame(scores(), schema=RUNS)}, "in the index or in a column `topic`"),
        ({"scores": pd.DataFrame({"a": [1, 0], "b": [0, 1]})}, "The frame names no topics"),
        (
            {"scores": pd.DataFrame({"topic": ["t"], "a": [0.1]}).set_index("topic", drop=False)},
            "both called 'topic'",
        ),
        (
            {"scores": pd.DataFrame([["t", 0.1, 0.2]], columns=["topic", "a", "a"])},
            "^Two columns of the frame have the same name",
        ),
        (
            {"scores": pd.DataFrame([["q", 0.1]], columns=["x", "a"], index=["t"])},
            "^the frame:2:2: 'q' is not a",
        ),
        (
            {"scores": pd.DataFrame({"a": [0.1]}, index=pd.MultiIndex.from_tuples([("t", "u")]))},
            "^the frame:2:2: 'u' is not a",
        ),
        ({"scores": pd.DataFrame({"topic": ["1"], "a": ["x"]})}, "^the frame:2:2: 'x' is not a"),
    ],
)
def test_what_is_no_score_matrix(book, wrong, why):
    with pytest.raises(InputError, match=why):
        book.log("t", "1", measure="AP", create=True, **wrong)
    assert book.tasks().tasks == []


def test_topics_that_pandas_made_floats_are_whole_numbers(book):
    numbers = range(301, 313)
    book.log("t", "1", scores(), "AP", topics=numbers, runs=RUNS, create=True)
    floats = pd.DataFrame(scores(), index=pd.Index(numbers, dtype=float), columns=RUNS)
    nullable = floats.rename_axis("topic").reset_index().astype({"topic": "Float64"})
    for same in (floats, nullable, pl.DataFrame(nullable)):
        assert book.log("t", "1", same, "AP").matrices[0].status == "unchanged"
    again = book.log("t", "1", scores(), "AP", topics=floats.index, runs=RUNS)
    assert again.status == "unchanged"
    halves = floats.set_axis(floats.index + 0.5)
    assert book.log("t", "2", halves, "AP", create=True).matrices[0].status == "logged"
    assert book.scores("t", "2", "AP").to_frame()["topic"][0] == "301.5"


def test_new_runs_are_standardised_in_every_form(book):
    named = {"topics": TOPICS, "runs": RUNS}
    book.log("t", "1", scores(), "AP", **named, create=True)
    frame = pd.DataFrame(scores(1), index=TOPICS, columns=RUNS)
    of_frame = book.standardise_files("t", "1", frame, "AP")
    of_array = book.standardise_files("t", "1", scores(1), "AP", **named)
    assert (of_array.files, of_array.scores) == (["array"], of_frame.scores)
    gap = np.ma.masked_equal(scores(1), scores(1)[0, 0])
    with pytest.raises(InputError, match=f"^array: .* missing: topic {TOPICS[0]} of run a"):
        book.standardise_files("t", "1", gap, "AP", **named)
    with pytest.raises(InputError, match="An array takes `topics`, `runs` and one `measure`"):
        book.standardise_files("t", "1", scores(1), "AP", runs=RUNS)


def test_an_address_that_is_no_text():
    for address in (5, b"postgresql://x", Path("/tmp")):
        with pytest.raises(RequestError, match=r"`address` takes a text, not \w+\.$"):
            roundbook.open(address)
    with pytest.raises(RequestError, match="`token` takes a text, not int"):
        roundbook.open("https://roundbook.example", token=5)


def test_scores_of_a_round_are_those_that_count(book):
    named = {"topics": TOPICS, "runs": RUNS}
    book.log("t", "1", scores(), "AP", **named, create=True)
    revised = book.log("t", "1", scores(1), "AP", **named, revise="other assessments were meant")
    assert book.scores("t", "1", "AP").matrix == revised.matrix == 2
    shallow = book.log("t", "1", scores(2), "AP", **named, assessments="shallow")
    with pytest.raises(
        InputError, match=r"several assessments in this round \(official, shallow\)"
    ):
        book.scores("t", "1", "AP")
    assert book.scores("t", "1", "AP", "shallow").matrix == shallow.matrix == 3
    book.withdraw(2, "scored with the wrong run files")
    assert book.scores("t", "1", "AP").matrix == 3
    with pytest.raises(WithdrawnError, match="are withdrawn: scored with the wrong run files"):
        book.scores("t", "1", "AP", "official")


def test_a_list_without_rows_has_its_columns(book):
    book.create_task("t")
    book.create_round("t", "1")

    def columns():
        frames = {
            name: book.ask(name, task="t").to_frame()
            for name in ("results", "matrices", "topics", "measures", "runs", "qrels")
        }
        sizes = [len(frame) for frame in frames.values()]
        return sizes, {name: list(frame.columns) for name, frame in frames.items()}

    sizes, empty = columns()
    assert sizes == [0] * 6
    assert empty["results"][:3] == ["kind", "name", "version"]
    assert empty["runs"][:3] == ["round", "upload", "runs"]
    assert empty["matrices"][6:10] == ["runs", "standing", "reason", "replaced_by"]
    book.log("t", "1", scores(), "AP", topics=TOPICS, runs=RUNS)
    book.log("t", "2", scores(1), "AP", topics=TOPICS, runs=RUNS, create=True)
    book.save("plan", task="t", measure="AP")
    sizes, full = columns()
    assert sizes == [1, 2, 12, 1, 0, 0]
    assert full == empty
    impact = book.ask("impact", matrix=1)
    nothing = Answer(impact.model.model_copy(update={"dependents": []}))
    withdrawn = book.withdraw(1, "wrong", dry_run=True)
    assert len(withdrawn.to_frame()) == len(withdrawn.impact) > 0
    for answer in (impact, nothing, withdrawn):
        assert list(answer.to_frame().columns) == list(DEPENDENT_TYPES)


@pytest.mark.long
def test_the_types_of_columns_do_not_depend_on_what_they_hold(book, monkeypatch):
    for seed, label in enumerate("12"):
        book.log("full", label, scores(seed), "AP", topics=TOPICS, runs=RUNS, create=True)
    book.save("plan", note="why", task="full", measure="AP")
    published = {"variance": 0.05, "topics": 50, "runs": 20, "source": "A", "create": True}
    for task in ("full", "bare"):
        book.record_variance(task, "3", "AP", **published)
    # Rounds without shared topics, and nothing else.
    for label, topics in (("4", "xy"), ("5", "vw")):
        few = [[0.1, 0.2], [0.3, 0.3]]
        book.log("bare", label, few, "AP", topics=topics, runs="ab", create=True)
    there = answers.find_spec
    of_task = ("rounds", "matrices", "measures", "results", "events", "runs", "qrels", "topics")
    of_measure = ("variances", "generalisability", "ageing")
    for name in (*of_task, "histories", "verify", *of_measure):
        measure = {"measure": "AP"} if name in of_measure else {}
        columns, frames, schemas = [], [], []
        for task in ("full", "bare"):
            answer = book.ask(name, task=task, **measure)
            typed = columns_of(answer.model)
            columns.append({column: kind for column, (kind, _) in typed.items()})
            frames.append(answer.to_frame())
            monkeypatch.setattr(answers, "find_spec", lambda library: library == "polars")
            schemas.append(answer.to_frame().schema)
            monkeypatch.setattr(answers, "find_spec", there)
        assert columns[0] == columns[1], name
        for column, kind in columns[0].items():
            numbers = {int: {"int64"}, float: {"float64"}}.get(kind)
            of_pandas = {str(frame[column].dtype).lower() for frame in frames}
            assert numbers in (None, of_pandas), (name, column)
            if kind is not object:  # whose lists have types of their own in polars
                assert schemas[0][column] == schemas[1][column], (name, column)
    history = book.variances("bare", "AP").to_frame()
    assert (str(history["runs"].dtype), list(history["runs"][:3])) == ("Int64", [20, 2, 2])
    assert history["two_way_low"].dtype == float


def test_rows_are_the_same_list_whatever_it_holds(book, tmp_path):
    runs = ["topic", *RUNS[1:]]
    logged = book.log("t", "1", scores(), "AP", topics=TOPICS, runs=runs, create=True)
    matrix = book.ask("matrix", matrix=logged.matrix).to_frame()
    assert list(matrix["run"]) == runs
    standardised = book.standardise("t", "1", "AP")
    frame = standardised.to_frame()
    assert list(frame) == ["topic", "run topic", *RUNS[1:]]
    assert list(frame["topic"]) == TOPICS
    assert list(frame["run topic"]) == standardised.scores[0]
    verified = book.verify().to_frame()
    assert (len(verified), list(verified)[:3]) == (0, ["kind", "count", "first.kind"])
    lists, grades = tmp_path / "a.run", tmp_path / "q"
    lists.write_text("".join(f"{topic} Q0 d1 1 1 a\n" for topic in TOPICS))
    grades.write_text("".join(f"{topic} 0 d1 1\n" for topic in TOPICS))
    book.create_round("t", "2")
    book.log_runs("t", "2", lists)
    assert book.log_runs("t", "2", [lists]).status == "unchanged"
    with pytest.raises(InputError, match="not what is of type int"):
        book.log_runs("t", "2", [5])
    book.log_qrels("t", "2", grades)
    book.log("t", "2", None, "AP")
    compared = book.ask("compare_scores", task="t", round="2", measure="AP")
    columns = ["topic", "run", "logged", "computed", "difference"]
    assert (len(compared.to_frame()), list(compared.to_frame())) == (0, columns)
    assert "All 12 scores are the same within" in compared.say()


@pytest.mark.long
def test_answers_are_frames_words_and_charts(book, tmp_path):
    for seed, label in enumerate(("1", "2", "3")):
        book.log("t", label, scores(seed), "AP", topics=TOPICS, runs=RUNS, create=True)
    history = book.variances("t", "AP")
    frame = history.to_frame()
    assert list(frame["round"][:3]) == ["1", "2", "3"]
    assert frame["variance"][3] == pytest.approx(history.pooled.variance)
    assert "Pooled over 3 rounds" in history.say()
    assert repr(history) == history.say()
    assert {"pooled", "rounds", "to_frame"} <= set(dir(history))
    assert "<table>" in history._repr_html_()
    assert "<svg" in history._repr_html_()
    table = history.to_latex()
    assert "\\begin{tabular}{lrrrrlr}" in table
    assert "\nRound & Topics & Runs & Teams & Variance & 95\\% interval & Two-way \\\\\n" in table
    assert f"\n2 & 12 & 6 & 6 & {history.rounds[1].variance:.5f} & [" in table
    assert f"\npooled & 12 & - & - & {history.pooled.variance:.5f} & [" in table
    assert "\\caption{t: AP, raw scale. Residual variance of each round around its run mea" in table
    histories = book.ask("histories", task="t")
    assert histories.to_latex() == table
    # The lines of its only measure, and the sentences with one more on how stable it is.
    pd.testing.assert_frame_equal(histories.to_frame(), frame)
    assert histories.say().startswith(history.say())
    assert "\nLargest variance over the smallest: AP 1." in histories.say()
    # Those of a paper are the same.
    book.report("latex", "t", tmp_path / "tables")
    for name, answer in (
        ("variances", history),
        ("factors", book.factors("t", "3", "AP")),
        ("ranking", book.ask("rank", task="t", round="3", measure="AP")),
    ):
        _, written = (tmp_path / "tables" / f"{name}.tex").read_text("utf-8").split("\n", 1)
        assert written == f"{answer.to_latex()}\n", name
    plan = book.plan("t", "AP", m=(10,), min_d=(0.1,))
    assert plan.to_frame()["topics"][0] == plan.cells[0].topics
    assert "\\toprule" in plan.to_latex()
    headline, which, *columns, paragraph = plan.say().splitlines()
    assert headline.startswith("Topics needed: one-way ANOVA")
    assert which == (
        "Take the size by tukey where all runs get the same topics, as in most campaigns; anova, the"
        " design of published plans, is for runs that each have topics of their own."
    )
    assert [line.split(":")[0] for line in columns] == ["planning", "tukey"]
    assert {f"topics_{name}" for name in ("planning", "tukey")} < set(plan.to_frame())
    assert paragraph.startswith("The topic set was designed for a one-way ANOVA")
    paired = book.plan(variance=0.05, design="paired-t", min_d=(0.1,)).say().splitlines()
    assert paired[1] == "For the best and the worst of several runs prefer tukey."
    assert book.plan(variance=0.05, m=(10,), min_d=(0.1,)).cells[0].topics == 158
    assert book.drift("t", "AP").verdict in ("held", "aged", "undecided")
    assert book.ageing("t", "AP").chart().to_dict()["title"]
    standardised = book.standardise("t", "1", "AP").to_frame()
    assert list(standardised.columns) == ["topic", *RUNS]
    assert standardised[RUNS].to_numpy().mean() == pytest.approx(0.5)
    assert list(book.rank("t", "1", "AP").to_frame()["rank_a"]) == sorted(
        book.rank("t", "1", "AP").to_frame()["rank_a"]
    )
    assert len(book.factors("t", "1", "AP").to_frame()) == 12
    assert len(book.generalisability("t", "AP").to_frame()) == 3
    matrix = book.scores("t", "1", "AP").to_frame()
    assert list(matrix.columns) == ["topic", *RUNS]
    assert matrix[RUNS].to_numpy().tolist() == scores(0).tolist()
    (again,) = book.log("t", "1", matrix, "AP").matrices
    assert again.status == "unchanged"
    with pytest.raises(NotRecordedError, match="nothing for measure"):
        book.scores("t", "1", "P@5")
    study = book.study("swap-rate", "t", "1", "AP", trials=50)
    assert protocol(study.model) in study.say()
    over = book.study("swap-rate", "t", measure="AP", all_rounds=True, trials=5)
    assert (over.study, over.swap_trials) == ("across-rounds", 5)
    saved = book.save("swap-rate", "holds", task="t", round="1", measure="AP", trials=50)
    assert saved.result.scales == study.scales
    assert book.save("plan", task="t", measure="AP").name == "t/plan-1"
    assert [entry.name for entry in book.results("t").results] == ["t/plan-1", "holds"]
    book.log("t", "1", scores(9), "AP", topics=TOPICS, runs=RUNS, revise="misprint")
    assert [entry.stale for entry in book.results("t").results] == [True, True]
    assert [done.after.version for done in book.renew(task="t").renewed] == [2, 2]
    assert book.result("holds").version == 2
    assert {event.what for event in book.events("t").events} >= {"matrix logged", "plan saved"}
    assert book.verify().status == "verified"
    # Rows of several kinds have every column, and a list of nothing has no rows.
    for mixed in (book.results("t"), book.impact(1), book.ask("history", matrix=1)):
        assert len(mixed.to_frame()) >= 1
        assert "\\begin{tabular}" in mixed.to_latex()
    ageing = book.ageing("t", "AP")
    assert "\\begin{tabular}" in ageing.to_latex()
    assert list(ageing.to_frame())[-3:] == ["sd_ratio", "sd_ratio_low", "sd_ratio_high"]
    assert list(book.results("t").to_frame()) == [
        *("kind", "name", "version", "task", "saved_at", "saved_by", "stale", "why", "note")
    ]
    assert list(book.impact(1).to_frame())[-2:] == ["why", "rests"]
    assert book.ask("tokens").to_frame().shape == (0, 8)
    with pytest.raises(InputError, match="no chart of this answer"):
        book.tasks().chart()
    with pytest.raises(InputError, match="no study 'x'"):
        book.study("x", "t", "1", "AP")
    with pytest.raises(RequestError):
        book.variances("t", "AP", scale="none")
    with pytest.raises(NotRecordedError):
        book.variances("t", "nDCG")
    for fields, says in (
        ({"trails": 5}, "no `trails` here; there are"),
        ({"trials": "x"}, "whole"),
    ):
        with pytest.raises(RequestError, match=says):
            book.study("swap-rate", "t", "1", "AP", **fields)
    with pytest.raises(InputError, match="no incremental of all rounds"):
        book.study("incremental", "t", measure="AP", all_rounds=True)
    book.close()
    with pytest.raises(InputError, match="book is closed"):
        book.tasks()


@pytest.mark.long
def test_reports_are_written_from_python(book, tmp_path):
    for seed, label in enumerate("12"):
        book.log("t", label, scores(seed), "AP", topics=TOPICS, runs=RUNS, create=True)
        book.publish("t", label)
    for kind, name in (("html", "t.html"), ("latex", "t.tex"), ("datacite", "t.zip")):
        written = book.report(kind, "t", tmp_path / name)
        assert Path(written.report) == tmp_path / name
        assert (tmp_path / name).stat().st_size > 1000
    assert "<svg" in (tmp_path / "t.html").read_text()
    with pytest.raises(InputError, match="no report 'pdf'"):
        book.report("pdf", "t", tmp_path / "t.pdf")
    with pytest.raises(InputError):
        book.report("html", "t", tmp_path / "t.html")
    book.report("html", "t", tmp_path / "t.html", round="1", force=True)


def test_decisions_say_what_the_terminal_says(book, tmp_path):
    of = {"topics": TOPICS, "runs": RUNS}
    logged = book.log("t", "1", scores(), "AP", **of, create=True, bounds=(0, 2))
    assert logged.say().startswith("t, round '1': AP, matrix 1, revision 1, ")
    (tmp_path / "teams").write_text("run,team\n" + "".join(f"{run},{run}\n" for run in RUNS))
    described = book.describe_teams("t", "1", tmp_path / "teams")
    assert described.say().startswith(f"t, round '1': told something new of {len(RUNS)} of its")
    saved = book.save("plan", "next", task="t", measure="AP", m=(10,), min_d=(0.1,))
    assert saved.say().endswith("\nSaved: plan 'next', version 1, of task 't'.")
    assert book.renew("next").say() == "'next' is the same today; no version was added."
    revised = book.log("t", "1", scores(1), "AP", **of, revise="a misprint")
    assert "Stale now that the scores of AP are replaced:\n  " in revised.say()
    assert "\n  plan 'next' version 1 (task 't'): round '1': its score matrix was" in revised.say()
    assert "Stale: round '1'" in book.result("next").say()
    dry = book.renew(task="t", dry_run=True).say()
    assert ("before, " in dry, dry.splitlines()[-1]) == (True, "Dry run: nothing was written.")
    assert "before, " in book.renew(task="t").say()
    assert book.renew(task="t").say() == "Nothing was stale that can be renewed."
    dry = book.withdraw(2, "wrong", dry_run=True)
    assert (dry.status, dry.dry_run) == ("withdrawn", True)
    assert dry.say().splitlines()[-1] == "Dry run: nothing was written."
    assert "Matrix 2 of round '1', AP: withdrawn." in book.withdraw(2, "wrong").say()
    assert "Matrix 2 is withdrawn already, since" in book.withdraw(2, "again").say()
    book.restore(2, "right")
    dry = book.publish("t", "1", "final", dry_run=True)
    assert (dry.status, dry.published_at) == ("draft", None)
    assert dry.say() == "Dry run: nothing was published."
    published = book.publish("t", "1", "final").say()
    assert published == "Round '1' is published for good: there is no way back."
    assert "was published already" in book.publish("t", "1").say()
    # Whatever changes a published round says what becomes of its fingerprint.
    broken = "Round '1' is published, and its published fingerprint no longer verifies."
    again = book.log("t", "1", scores(2), "AP", **of, revise="another misprint")
    assert broken in again.say().splitlines()
    assert again.publication.published_fingerprint != again.publication.fingerprint
    same = book.log("t", "1", scores(2), "AP", **of)
    assert (same.status, same.publication) == ("unchanged", None)
    assert broken in book.withdraw(3, "wrong").say().splitlines()
    assert broken in book.restore(3, "right").say().splitlines()
    fitted = book.fit("t", "1", "AP", "fewer", runs=list(RUNS[:3]))
    assert broken in fitted.say().splitlines()
    (tmp_path / "teams").write_text("run,team\n" + "".join(f"{run},x\n" for run in RUNS))
    corrected = book.describe_teams("t", "1", tmp_path / "teams", revise="one team")
    assert broken in corrected.say().splitlines()
    # Of several measures it is that with all of them.
    wide = pd.DataFrame(scores(5), pd.Index(TOPICS, name="topic"), RUNS).reset_index()
    long = wide.melt("topic", var_name="run", value_name="AP")
    both = long.assign(**{"P@5": long["AP"] / 2})
    answer = book.log("t", "1", both, ["AP", "P@5"], revise="both").matrices
    now = book.round("t", "1").fingerprint
    assert [matrix.publication.fingerprint for matrix in answer] == [now, now]
    book.create_task("x")
    assert book.ask("rename_task", task="x", name="u").say() == "Task 'x' is now 'u'."
    told = [logged, described, saved, revised]
    assert not any("--" in answer.say() or "'roundbook" in answer.say() for answer in told)


def test_drift_is_told_with_calls_in_python(book):
    for label, topics in (("1", TOPICS), ("2", TOPICS), ("3", [f"new {name}" for name in TOPICS])):
        book.log("t", label, scores(int(label)), "AP", topics=topics, runs=RUNS, create=True)
    first, *notes = book.ageing("t", "AP").say().splitlines()
    assert first.startswith("The factors of round '1' in 2 later rounds: ")
    assert notes == [
        "Assumed: rounds '1' and '2' were held on the same document collection, since none is declared.",
        "Provisional: teams are unknown behind the verdicts of '2'; the report says more.",
    ]
    saved = book.save("drift", task="t", measure="AP")
    for answer in (book.drift("t", "AP"), saved, book.result(saved.name)):
        assert "say which (book.alias_topics('t', file)) and compare again" in answer.say()
        assert "`" not in answer.say() + answer._repr_html_()


def test_a_name_near_a_recorded_one_is_told_of(book, tmp_path):
    def log(task, label, **fields):
        return book.log(
            task, label, scores(), "AP", topics=TOPICS, runs=RUNS, create=True, **fields
        )

    made = {"kind": "task", "name": "webb", "near": "web"}
    assert "Did you mean" not in log("web", "spring").say()
    both = log("webb", "spring", dry_run=True)
    assert [new.model_dump() for new in both.remarks.near_names] == [made]
    (tmp_path / "runs").write_text("1 Q0 d1 1 0.5 a\n")
    (tmp_path / "qrels").write_text("1 0 d1 1\n")
    value = {"variance": 0.05, "runs": 9, "topics": 9, "source": "A paper", "create": True}
    slips = {
        "sprign": log("web", "sprign"),
        "autunm": (book.create_round("web", "autumn"), book.create_round("web", "autunm"))[1],
        "wintre": (book.create_round("web", "winter"), book.log_runs(
            "web", "wintre", tmp_path / "runs", create=True))[1],
        "summre": (book.create_round("web", "summer"), book.log_qrels(
            "web", "summre", tmp_path / "qrels", create=True))[1],
        "easetr": (book.create_round("web", "easter"), book.record_variance(
            "web", "easetr", "AP", **value))[1],
    }  # fmt: skip
    meant = ("spring", "autumn", "winter", "summer", "easter")
    for (slip, answer), name in zip(slips.items(), meant, strict=True):
        assert f"The round {slip} is new. Did you mean {name}?" in answer.say(), slip
    task = book.create_task("webb")
    assert task.say() == "The task webb is new. Did you mean web?"
    assert [new.model_dump() for new in task.near_names] == [made]
    # Neither a name of a series, nor one that is there.
    assert log("web", "spring").say().count("Did you mean") == 0
    assert (
        log("web", "2").say().count("Did you mean")
        == log("web", "3").say().count("Did you mean")
        == 0
    )


def test_a_decision_is_whole_or_not_at_all(book):
    book.log("t", "1", scores(), "AP", topics=TOPICS, runs=RUNS, create=True)
    book.publish("t", "1", "final")
    book.withdraw(1, "wrong qrels")
    book.restore(1, "right after all")
    with pytest.raises(NotRecordedError):
        book.create_round("nobody", "1")
    kinds = [event.what for event in book.events().events]
    assert kinds[-3:] == ["round published", "matrix withdrawn", "matrix restored"]


def test_the_size_limit_is_the_setting_s(address, tmp_path, monkeypatch):
    path = tmp_path / "scores.csv"
    path.write_text("topic,a,b\n1,0.1,0.2\n2,0.3,0.5\n", encoding="utf-8")
    small = Settings(max_file_bytes=20)
    monkeypatch.setattr("roundbook.python.local.read_settings", lambda: small)
    with roundbook.open(address) as book:
        for refused in (
            lambda: book.log("t", "1", path, "AP", create=True),
            lambda: book.study("swap-rate", None, measure="AP", files=[path]),
        ):
            with pytest.raises(BadFileError, match="larger than 20 bytes"):
                refused()


def test_every_use_case_takes_its_request():
    for name, case in USE_CASES.items():
        module, _, function = case.function.partition(":")
        loaded = getattr(import_module(f"roundbook.logbook.{module}"), function)
        session, *others = inspect.signature(loaded).parameters.values()
        assert session.annotation in ("Session", "Session | None"), name
        assert case.request is None or others[0].annotation == case.request.__name__, name


def test_importing_roundbook_loads_no_library():
    code = (
        "import sys, roundbook; print([name for name in sys.modules if name in"
        " ('sqlalchemy', 'numpy', 'scipy', 'pydantic', 'typer')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_token_without_the_address_of_a_service():
    for address in (None, "postgresql://roundbook@db.example/campaign"):
        with pytest.raises(InputError, match=r"name its address too: roundbook\.open\('https://"):
            roundbook.open(address, token="rb_x")


def test_the_environment_is_read_whenever_a_book_is_opened(address, monkeypatch):
    roundbook.open(address).close()
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", "mysql://elsewhere/x")
    with pytest.raises(InputError, match="not in 'mysql'"):
        roundbook.open()


def test_a_book_stays_in_its_process(book):
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(InputError, match=r"open one there, by roundbook\.open\(\)"):
            take(book)


def test_errors_come_back_from_another_process_as_they_were():
    for error in (
        RequestError("m", "`m` takes numbers"),
        BadFileError("no topic", "a.csv", 3, way_out="list tasks", task="t"),
        SchemaOutOfDateError("The schema is older.", "1", "2"),
        MissingExtraError("A frame takes pandas.", "frames"),
    ):
        error.add_note("a way out")
        read = pickle.loads(pickle.dumps(error))
        assert (type(read), str(read), vars(read)) == (type(error), str(error), vars(error))


def test_an_address_that_cannot_be_opened_tells_the_way_out():
    with pytest.raises(DatabaseUnreachableError) as refused:
        roundbook.open("postgresql://nobody:nothing@127.0.0.1:1/nowhere")
    assert refused.value.__notes__ == ["Check the address given, else ROUNDBOOK_DATABASE_URL."]


def test_forked_processes_use_a_book_at_the_same_time(address):
    with roundbook.open(address) as book:
        book.create_task("t")

        def ask(_):
            return [len(book.tasks().tasks) for _ in range(5)]

        told = [run_apart(address, ask), *race(address, [ask, ask, ask])]
        assert [answer.value for answer in told] == [[1] * 5] * 4
        with book._record._begin(one_snapshot=True, keep=False):
            assert run_apart(address, ask).value == [1] * 5
        assert ask(None) == [1] * 5
