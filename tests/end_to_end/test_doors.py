"""The same question through terminal, Python, HTTP and remote Python has the same answer."""

from __future__ import annotations

import io

import numpy as np
import pytest
from tests.serving import serving

import roundbook
from roundbook.api.app import make_app
from roundbook.errors import BadFileError, ContentDiffersError, NotRecordedError, RequestError
from roundbook.settings import load_settings

pytestmark = pytest.mark.one_server
AP = ("--measure", "AP")
OF = {"task": "t", "measure": "AP"}
OF_ROUND = OF | {"round": "1"}
# By question: the terminal's words, the fields, and what the terminal says otherwise: commands and
# options in its sentences.
QUESTIONS = {
    "tasks": (("task", "list"), {}, ()),
    "rounds": (("round", "list", "t"), {"task": "t"}, ()),
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
    "rank": (("rank", "t", "1", *AP), OF_ROUND, ()),
    "generalisability": (("generalisability", "t", *AP), OF, ()),
    "results": (("result", "list", "t"), {"task": "t"}, ("results",)),
    "events": (("events", "--task", "t"), {"task": "t"}, ()),
    "verify": (("db", "verify", "--task", "t"), {"task": "t"}, ()),
    "verify_round": (("round", "verify", "t", "1"), {"task": "t", "round": "1"}, ()),
    "tokens": (("token", "list"), {}, ()),
}  # fmt: skip


def wide(seed=0):
    rng = np.random.default_rng(seed)
    scores = (rng.random((8, 1)) * 0.4 + rng.random((8, 4)) * 0.3).round(3)
    rows = [f"t{number},{','.join(map(str, row))}" for number, row in enumerate(scores)]
    return "\n".join(["topic,a,b,c,d", *rows, ""])


@pytest.fixture
def service(address):
    """Yield the address of a service that listens on loopback."""
    with serving(make_app(load_settings(), address, open_to_all=True)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.long
def test_four_doors_one_answer(service, address, command):
    with roundbook.open(address) as here, roundbook.open(service) as there:
        for seed, label in enumerate("123"):
            (one,) = there.log("t", label, io.StringIO(wide(seed)), "AP", create=True).matrices
            assert one.status == "logged"
        assert there.save("plan", "next", task="t", measure="AP", m=(10,)).version == 1
        assert there.publish("t", "1").round == "1"
        swap = {"trials": 20}
        assert there.study("swap-rate", "t", "1", "AP", **swap).model == (
            here.study("swap-rate", "t", "1", "AP", **swap).model
        )
        for name, (words, fields, otherwise) in QUESTIONS.items():
            in_python = here.ask(name, **fields)
            assert there.ask(name, **fields).model == in_python.model, name
            facts = in_python.model.model_dump(mode="json", by_alias=True)
            printed = command("--database", address, *words, "--format", "json").json
            differing = {key for key in facts if printed.get(key, "left out") != facts[key]}
            assert differing <= set(otherwise), (name, differing)


@pytest.mark.long
def test_what_is_refused_is_refused_alike(service, address):
    good, other = wide(), wide(1)
    with roundbook.open(address) as here, roundbook.open(service) as there:
        for book in (there, here):
            book.log("t", "1", io.StringIO(good), "AP", create=True)
        array = np.array([row.split(",")[1:] for row in good.split()[1:]], dtype=float)
        names = {"topics": [f"t{n}" for n in range(8)], "runs": list("abcd")}
        assert there.log("t", "1", array, "AP", **names).status == "unchanged"
        for kind, ask in (
            (NotRecordedError, lambda book: book.variances("x", "AP")),
            (RequestError, lambda book: book.variances("t", "AP", scale="x")),
            (ContentDiffersError, lambda book: book.log("t", "1", io.StringIO(other), "AP")),
            (BadFileError, lambda book: book.log("t", "1", io.StringIO(good + "x"), "AP")),
        ):
            messages = []
            for book in (here, there):
                with pytest.raises(kind) as refused:
                    ask(book)
                messages.append(str(refused.value).rpartition("/")[2])
            assert messages[0] == messages[1]
