"""The same question through terminal, Python, HTTP and remote Python has the same answer."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import Engine
from sqlalchemy.event import listen, remove
from tests.factories import simulated, wide
from tests.serving import serving

import roundbook
from roundbook.api.app import make_app
from roundbook.database.engine import unit_of_work
from roundbook.errors import (
    AlreadyRecordedError,
    BadFileError,
    ContentDiffersError,
    InputError,
    NotRecordedError,
    RequestError,
    RevisedMeanwhileError,
    RoundbookError,
)
from roundbook.logbook import session
from roundbook.logbook.studies import studies
from roundbook.settings import load_settings
from roundbook.use_cases import USE_CASES

pytestmark = pytest.mark.one_server
AP = ("--measure", "AP")
OF = {"task": "t", "measure": "AP"}
# A saved plan is printed as the plan that it is.
PRINTED = (
    "brief", "changes", "kind", "renewable", "replaced_by", "request", "result", "stale",
)  # fmt: skip
OF_ROUND = OF | {"round": "1"}
# By question: the terminal's words, the fields, and what the terminal says otherwise: commands and
# options in its sentences.
QUESTIONS = {
    "tasks": (("task", "list"), {}, ()),
    "rounds": (("round", "list", "t"), {"task": "t"}, ()),
    "round": (("round", "show", "t", "1"), {"task": "t", "round": "1"}, ()),
    "measures": (("measure", "list", "t"), {"task": "t"}, ()),
    "topics": (("topic", "list", "t"), {"task": "t"}, ()),
    "matrices": (("matrix", "list", "t"), {"task": "t"}, ()),
    "matrix": (("matrix", "show", "1"), {"matrix": 1}, ()),
    "impact": (("impact", "1"), {"matrix": 1}, ("dependents", "reason")),
    "variances": (("variance", "show", "t", *AP), OF, ("pooled",)),
    "histories": (("variance", "history", "t"), {"task": "t"}, ("histories",)),
    "factors": (("factors", "show", "t", "1", *AP), OF_ROUND, ()),
    "plan": (("plan", "--task", "t", *AP, "--m", "10", "--min-d", "0.1"),
             OF | {"m": [10], "min_d": [0.1]}, ("estimate",)),
    "drift": (("drift", "t", *AP), OF, ("consequence", "revived")),
    "ageing": (("drift", "t", *AP, "--curve"), OF, ("rounds",)),
    "standardise": (("standardise", "t", "1", *AP), OF_ROUND, ()),
    "rank": (("rank", "t", "1", *AP), OF_ROUND, ("reason",)),
    "generalisability": (("generalisability", "t", *AP), OF, ("rounds",)),
    "results": (("result", "list", "t"), {"task": "t"}, ("results",)),
    "events": (("events", "--task", "t"), {"task": "t"}, ()),
    "verify": (("db", "verify", "--task", "t"), {"task": "t"}, ()),
    "verify_round": (("round", "verify", "t", "1"), {"task": "t", "round": "1"}, ()),
    "tokens": (("token", "list"), {}, ()),
    "history": (("matrix", "history", "1"), {"matrix": 1}, ()),
    "export_matrix": (("matrix", "export", "1"), {"matrix": 1}, ()),
    "runs": (("run", "list", "t", "1"), {"task": "t", "round": "1"}, ()),
    "qrels": (("qrels", "list", "t"), {"task": "t"}, ()),
    "compare_scores": (("run", "compare", "t", "1", *AP), OF_ROUND, ()),
    "result": (("result", "show", "next"), {"name": "next"}, PRINTED),
}  # fmt: skip
# By study: the terminal's words after `study`, and the fields.
OF_AP, OF_ROUND_AP = ("t", *AP), ("t", "1", *AP)
STUDIES = {
    "discriminative-power": (("discriminative-power", *OF_ROUND_AP, "--trials", "50"),
                             OF_ROUND | {"trials": 50}),
    "swap-rate": (("swap-rate", *OF_ROUND_AP, "--trials", "20"), OF_ROUND | {"trials": 20}),
    "across-rounds": (("swap-rate", *OF_AP, "--all-rounds", "--trials", "20"),
                      OF | {"swap_trials": 20}),
    "incremental": (("incremental", *OF_ROUND_AP, "--difference", "0.1", "--start", "2"),
                    OF_ROUND | {"difference": 0.1, "start": 2}),
    "change": (("change", "t", "1", "2", *AP, "--pivot", "a", "--match", "tag", "--trials", "50"),
               OF_ROUND | {"to_round": "2", "pivot": "a", "match": "tag", "trials": 50}),
    "leave-one-out": (("leave-one-out", *OF_ROUND_AP, "--by", "run"), OF_ROUND | {"by": "run"}),
    "leave-one-out-rounds": (("leave-one-out", *OF_AP, "--all-rounds"), OF),
    "leave-teams-out": (("leave-teams-out", *OF_ROUND_AP, "--teams-left", "3", "--trials", "10"),
                        OF_ROUND | {"teams_left": [3], "trials": 10}),
    "topic-subsets": (("topic-subsets", *OF_ROUND_AP, "--topics", "4", "--trials", "10"),
                      OF_ROUND | {"topics": [4], "trials": 10}),
    "per-topic-variance": (("per-topic-variance", "t", "1"), {"task": "t", "round": "1"}),
}  # fmt: skip


def scores(seed=0):
    return wide(simulated(seed, 8, 4), runs="abcd")


@pytest.fixture
def service(engine, address):
    """Yield the address of a service that listens on loopback."""
    with serving(make_app(load_settings(), engine, open_to_all=True)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def levels(monkeypatch):
    """Return the list of how each session from now on is isolated, and whether it only reads."""
    begun = []

    def noted(engine):
        options = engine.get_execution_options()
        begun.append((options.get("isolation_level"), options.get("postgresql_readonly")))
        return unit_of_work(engine)

    monkeypatch.setattr(session, "unit_of_work", noted)
    return begun


ONE_SNAPSHOT = {("REPEATABLE READ", True)}


def fill(book, tmp_path):
    """Log three published rounds, and of the first the runs, the assessments and the teams."""
    for seed, label in enumerate("123"):
        (one,) = book.log("t", label, io.StringIO(scores(seed)), "AP", create=True).matrices
        assert one.status == "logged"
        assert book.publish("t", label).round == label
    rng = np.random.default_rng(0)
    (tmp_path / "runs").write_text("".join(
        f"t{topic} Q0 d{document} {rank} {1 / rank} {run}\n"
        for run in "abcd" for topic in range(8)
        for rank, document in enumerate(rng.permutation(10), 1)
    ))  # fmt: skip
    (tmp_path / "qrels").write_text("".join(
        f"t{topic} 0 d{document} {document % 3}\n" for topic in range(8) for document in range(10)
    ))  # fmt: skip
    (tmp_path / "teams").write_text("run,team\na,A\nb,B\nc,C\nd,D\n")
    assert book.log_runs("t", "1", tmp_path / "runs").runs == 4
    assert book.log_qrels("t", "1", tmp_path / "qrels").judged == 80
    for label in "123":
        assert book.describe_teams("t", label, tmp_path / "teams").described == 4
    assert book.save("plan", "next", task="t", measure="AP", m=(10,)).version == 1


@pytest.mark.long
def test_four_doors_one_answer(service, address, command, tmp_path, levels):
    questions = {name for name, case in USE_CASES.items() if not case.changes}
    assert (questions, studies.STUDIES.keys()) == (QUESTIONS.keys(), STUDIES.keys())
    with roundbook.open(address) as here, roundbook.open(service) as there:
        fill(there, tmp_path)
        asked = [("ask", name, *of) for name, of in QUESTIONS.items()]
        asked += [
            ("study", name, ("study", *words), *of, ()) for name, (words, *of) in STUDIES.items()
        ]
        for method, name, words, fields, otherwise in asked:
            levels.clear()
            in_python = getattr(here, method)(name, **fields)
            assert set(levels) == ONE_SNAPSHOT, name
            assert getattr(there, method)(name, **fields).model == in_python.model, name
            facts = in_python.model.model_dump(mode="json", by_alias=True)
            path = f"study/{name}" if method == "study" else name.replace("_", "-")
            over_http = get(f"{service}/api/v1/{path}?{urlencode(fields, doseq=True)}")
            assert {key: json.loads(over_http)[key] for key in facts} == facts, name
            levels.clear()
            if name == "export_matrix":
                assert command("--database", address, *words).out == facts["content"]
                assert set(levels) == ONE_SNAPSHOT, name
                continue
            printed = command("--database", address, *words, "--format", "json").json
            assert set(levels) == ONE_SNAPSHOT, name
            differing = {key for key in facts if printed.get(key, "left out") != facts[key]}
            assert differing <= set(otherwise), (name, differing)


@contextmanager
def after_statement(number, act):
    """Act once so many statements have been sent; yield a list that then has an entry."""
    acted, sent = [], count(1)

    def sending(*_):
        if next(sent) == number:
            act()
            acted.append(number)

    listen(Engine, "after_cursor_execute", sending)
    try:
        yield acted
    finally:
        remove(Engine, "after_cursor_execute", sending)


@pytest.mark.parametrize("door", ["python", "terminal"])
def test_a_correction_between_two_reads_of_a_question_is_in_all_of_its_answer_or_in_nothing(
    address, command, kept_engines, door
):
    with roundbook.open(address) as book:
        for seed, label in enumerate("123"):
            book.log("t", label, io.StringIO(scores(seed)), "AP", create=True)

        def ask():
            if door == "python":
                return book.variances("t", "AP").model.model_dump(mode="json")
            return command(
                "--database", address, *QUESTIONS["variances"][0], "--format", "json"
            ).json

        for number in count(1):
            with after_statement(number, lambda: book.withdraw(3, "wrong")) as withdrawn:
                history = ask()
            counted, left_out = (
                [row["round"] for row in history[rows]] for rows in ("rounds", "withdrawn")
            )
            assert sorted(counted + left_out) == ["1", "2", "3"], number
            assert history["pooled"]["rounds"] == counted
            if not withdrawn:
                break
            book.restore(3, "right")
        assert number > 5


def test_runs_in_a_file_are_standardised_by_one_snapshot(address, command, tmp_path, levels):
    (tmp_path / "new.csv").write_text(scores(1))
    with roundbook.open(address) as book:
        book.log("t", "1", io.StringIO(scores()), "AP", create=True)
        levels.clear()
        standardised = book.standardise_files("t", "1", tmp_path / "new.csv", "AP").model
        assert levels == [*ONE_SNAPSHOT]
        levels.clear()
        words = ("standardise", "t", "1", *AP, "--file", tmp_path / "new.csv", "--format", "json")
        printed = command("--database", address, *words).json
        assert levels == [*ONE_SNAPSHOT]
        assert printed["scores"] == [list(row) for row in standardised.scores]


@pytest.mark.long
def test_four_doors_one_archive(service, address, command, tmp_path):
    with roundbook.open(address) as here, roundbook.open(service) as there:
        here.log("t", "1", io.StringIO(scores()), "AP", create=True)
        files = [tmp_path / f"{door}.zip" for door in ("python", "remote", "terminal")]
        first, second = (
            book.export(file) for book, file in zip((here, there), files[:2], strict=True)
        )
        printed = command("--database", address, "export", files[2], "--format", "json").json
        facts = first.model.model_dump(mode="json")
        assert Path(second.archive) == files[1]
        for other in (second.model.model_dump(mode="json"), printed):
            assert other | {"archive": facts["archive"]} == facts
        sent = get(f"{service}/api/v1/export")
        assert {file.read_bytes() for file in files} == {sent}
        with pytest.raises(InputError, match="there is such a file"):
            there.export(files[1])
        there.export(files[1], ["t"], force=True)
        with pytest.raises(NotRecordedError, match="no task 'u'"):
            there.export(tmp_path / "u.zip", ["u"])
        with pytest.raises(AlreadyRecordedError):
            there.import_archive(files[0])
        for book, file in ((here, files[1]), (there, files[0])):
            for task in here.tasks().tasks:
                here.ask("rename_task", task=task.task, name=f"{task.task} 0", force=True)
            imported = book.import_archive(file)
            assert (imported.tasks, imported.matrices) == (["t"], 1)
            assert "is read: 1 task, 1 round, 1 matrix and 0 saved results." in imported.say()


@pytest.mark.long
def test_four_doors_one_report(service, address, command, tmp_path):
    with roundbook.open(address) as here, roundbook.open(service) as there:
        for seed, label in enumerate("12"):
            here.log("t", label, io.StringIO(scores(seed)), "AP", create=True)
            here.publish("t", label)
        for kind, suffix in (("html", "html"), ("latex", "tex"), ("datacite", "zip")):
            files = [tmp_path / f"{door}.{suffix}" for door in ("python", "remote", "terminal")]
            facts = [
                book.report(kind, "t", file)
                for book, file in zip((here, there), files[:2], strict=True)
            ]
            words = ("report", kind, "t", "--output", files[2], "--format", "json")
            first, *others = (
                *(one.model.model_dump(mode="json") for one in facts),
                command("--database", address, *words).json,
            )
            assert all(other | {"report": first["report"]} == first for other in others), kind
            sent = get(f"{service}/api/v1/report-{kind}?task=t")
            assert {file.read_bytes() for file in files} == {sent}, kind
        with pytest.raises(InputError, match="one file, which ends in"):
            there.report("latex", "t", tmp_path / "tables")
        with pytest.raises(InputError, match="there is such a file"):
            there.report("html", "t", tmp_path / "remote.html")
        assert (
            there.report("html", "t", tmp_path / "remote.html", round="1", force=True).round == "1"
        )


@pytest.mark.long
def test_a_round_and_an_impact_say_the_same_at_every_door(service, address, command):
    published = {"variance": 0.05, "runs": 12, "topics": 40, "source": "A paper", "scale": "std-ab"}
    with roundbook.open(address) as here, roundbook.open(service) as there:
        for label in "12":
            here.log("t", label, io.StringIO(scores(int(label))), "AP", create=True)
        here.publish("t", "1")
        here.log("t", "1", io.StringIO(scores(3)), "AP", revise="judged again")
        here.record_variance("t", "0", "AP", create=True, **published)
        here.record_variance("t", "0", "AP", revise="a misprint", **published | {"variance": 0.06})
        fingerprints = here.round("t", "1").model
        assert fingerprints.fingerprint != fingerprints.published_fingerprint
        for name, words, fields, sentences in (
            ("impact", ("impact", "1"), {"matrix": 1}, [
                "Matrix 1: AP of round '1' of 't', official assessments, revision 1: superseded by"
                " revision 2 (matrix 3).",
                "4 results resting on it, 4 stale; nothing is left to renew.",
            ]),
            ("impact", ("impact", "2"), {"matrix": 2}, [
                "Matrix 2: AP of round '2' of 't', official assessments, revision 1: it counts.",
                "4 results resting on it, 0 stale.",
            ]),
            ("round", ("round", "show", "t", "1"), {"task": "t", "round": "1"}, [
                "Round '1' of 't', number 1: published.",
                "Round '1' is published, and its published fingerprint no longer verifies.",
                f"Fingerprint {fingerprints.fingerprint}",
                f"As published {fingerprints.published_fingerprint}",
            ]),
            ("round", ("round", "show", "t", "0"), {"task": "t", "round": "0"}, [
                "Round '0' of 't', number 3: draft.",
                "No scores yet, only 1 published variance.",
            ]),
        ):  # fmt: skip
            assert here.ask(name, **fields).say().splitlines() == sentences
            assert there.ask(name, **fields).say().splitlines() == sentences
            over_http = json.loads(get(f"{service}/api/v1/{name}?{urlencode(fields)}"))
            assert over_http["sentences"] == sentences
            printed = command("--database", address, *words).out.splitlines()
            assert [line for line in printed if line in sentences] == sentences
        (value,) = here.round("t", "0").published_variances
        facts = value.model_dump(mode="json", exclude={"recorded_at", "recorded_by"})
        assert facts == {
            "measure": "AP", "assessments": "official", "scale": "std-ab", "revision": 2,
            "variance": 0.06, "runs": 12, "topics": 40, "teams": None, "source": "A paper",
            "reason": "a misprint",
        }  # fmt: skip
        assert over_http["published_variances"] == [value.model_dump(mode="json")]
        assert list(here.round("t", "0").to_frame()["source"]) == ["A paper"]
        assert here.round("t", "1").published_variances == []


def get(url):
    with urlopen(url) as answer:
        return answer.read()


@pytest.mark.long
def test_a_large_upload_that_is_refused_at_once_says_why(engine, committed):
    frame = pd.DataFrame(np.random.default_rng(0).random((2000, 150)).astype(str))
    frame.insert(0, "topic", [f"t{number}" for number in range(2000)])
    with (
        serving(make_app(load_settings(), engine)) as port,
        roundbook.open(f"http://127.0.0.1:{port}", token="rb_wrong") as book,
        pytest.raises(RoundbookError, match="token") as refused,
    ):
        book.log("t", "1", frame, "AP", create=True)
    assert "cannot be reached" not in str(refused.value)


def test_files_are_given_by_their_paths(address, service, tmp_path):
    for door in (address, service):
        with roundbook.open(door) as book:
            for ask in (book.describe_teams, book.log_qrels, book.log_runs):
                with pytest.raises(
                    InputError, match="path of a file, not what is of type StringIO"
                ):
                    ask("t", "1", io.StringIO("x"))
            with pytest.raises(BadFileError, match=r"no\.csv: there is no such file"):
                book.alias_topics("t", tmp_path / "no.csv")


def test_a_correction_says_which_revision_it_corrects(address, service):
    for number, door in enumerate((address, service), 1):
        with roundbook.open(door) as book:
            book.log("t", f"{number}", io.StringIO(scores()), "AP", create=True)
            array = np.random.default_rng(number).random((8, 4))
            names = {"topics": [f"t{n}" for n in range(8)], "runs": list("abcd"), "revise": "why"}
            of = ("t", f"{number}", array, "AP")
            assert book.log(*of, **names, expected_revisions={"AP": 1}).revision == 2
            with pytest.raises(RevisedMeanwhileError):
                of_scores = ("t", f"{number}", io.StringIO(scores(1)), "AP")
                book.log(*of_scores, revise="why", expected_revisions={"AP": 1})


@pytest.mark.long
def test_what_is_refused_is_refused_alike(service, address):
    good, other = scores(), scores(1)
    with roundbook.open(address) as here, roundbook.open(service) as there:
        for book in (there, here):
            book.log("t", "1", io.StringIO(good), "AP", create=True)
        array = np.array([row.split(",")[1:] for row in good.split()[1:]], dtype=float)
        names = {"topics": [f"t{n}" for n in range(8)], "runs": list("abcd")}
        assert there.log("t", "1", array, "AP", **names).status == "unchanged"
        differs = {"matrix": 1, "topics": 8, "runs": 4}
        for kind, facts, ask in (
            (NotRecordedError, {"task": "x"}, lambda book: book.variances("x", "AP")),
            (NotRecordedError, {"matrix": 9}, lambda book: book.ask("matrix", matrix=9)),
            (
                NotRecordedError,
                {"task": "t", "measure": "P@5"},
                lambda book: book.drift("t", "P@5"),
            ),
            (RequestError, {}, lambda book: book.variances("t", "AP", scale="x")),
            (
                ContentDiffersError,
                differs,
                lambda book: book.log("t", "1", io.StringIO(other), "AP"),
            ),
            (BadFileError, {}, lambda book: book.log("t", "1", io.StringIO(good + "x"), "AP")),
        ):
            messages = []
            for book in (here, there):
                with pytest.raises(kind) as refused:
                    ask(book)
                messages.append(str(refused.value).rpartition("/")[2])
                assert refused.value.facts == facts
            assert messages[0] == messages[1]
