"""Whatever is asked over HTTP, the answer is one that the description of the API has."""

from __future__ import annotations

import io
from collections import Counter

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.factories import simulated, wide

import roundbook
from roundbook.api.app import PREFIX, make_app
from roundbook.settings import load_settings

pytestmark = pytest.mark.one_server
# Schemas say what a field may be, not whether fields go together.
PASSED_OVER = {"positive_data_acceptance", "negative_data_rejection", "missing_required_header"}
# Names that are there, or nearly: those that come by chance are of nothing.
KNOWN = {
    "task": ["t", "e", " t ", "T"],
    "round": ["1", "2", "9"],
    "from_round": ["1", "2"],
    "to_round": ["2", "1"],
    "factors_from": ["1", "2", "1:1", "2:1", "1:9"],
    "measure": ["AP", "map", "P@5"],
    "measures": [["AP"], ["AP", "P@5"]],
    "matrix": [1, 2, 3, -1, 0, 2**63, 10**30],
    "name": ["next", "x"],
    "scales": [["raw"], ["raw", "std-ab"]],
    "trials": [2],
    "resamples": [100],
    "swap_trials": [2],
    "variance": [0.05],
    "m": [[10]],
    "min_d": [[0.1], 0.1],
}
HOSTILE = [
    "",
    " ",
    "\0",
    "\u202e",
    "x" * 10_000,
    "1e999",
    "nan",
    "inf",
    "-1",
    str(10**40),
    "'",
    "%00",
]
HOSTILE += ["../../etc/passwd", "[]", "{}", "null", "true", "0x10", "1_0", "１", "a\r\nb: c"]
SAVED = [
    {"task": "t", "measure": "AP", "m": [10], "min_d": [0.1]},
    {"task": "t", "measure": "AP", "round": "1", "trials": 2},
    {"self": 1, "task": []},
    {},
]
FILES = [b"", b"topic,a,b\nt1,.1,.2\nt2,.3,.5\n", b"\0\xff" * 20, b"PK\3\4", b"\x1f\x8b\x08junk"]
FILES += [b"topic,round,id\nt1,2,t2\n", b"run,team\na,A\n", b"1 Q0 d1 1 0.5 a\n", b"1 0 d1 1\n"]
# Of the draft, which nobody may see without a token.
SECRET = "hidden-run"


def scores(seed, runs):
    return io.StringIO(wide(simulated(seed, 8, len(runs)), runs=runs))


def fill(book):
    """Log a published round 1 and a draft 2, and a task that is a draft as a whole."""
    book.log("t", "1", scores(0, "abcd"), "AP", create=True)
    book.log("t", "2", scores(1, [SECRET, *"bcd"]), "AP", create=True)
    book.log("e", "1", scores(2, [SECRET, *"bcd"]), "AP", create=True)
    book.save("plan", "next", task="t", measure="AP", m=(10,), min_d=(0.1,))
    book.save("plan", "other", task="e", measure="AP", m=(10,), min_d=(0.1,))
    book.publish("t", "1")


def attack(engine, count, *, open_to_all, token=None, seen=lambda answer: None):
    """Ask for everything `count` times; return how often each status came, and what was wrong.

    Parameters
    ----------
    seen : callable
        Looks at each answer too, and raises where it should not be so.
    """
    # Half a second that only these tests need; they do without its plug-in for pytest.
    import schemathesis
    from schemathesis.checks import CHECKS

    app = make_app(load_settings(), engine, open_to_all=open_to_all)
    checks = [check for check in CHECKS.get_all() if check.__name__ not in PASSED_OVER]
    came, wrong = Counter(), []
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with TestClient(app, headers=headers, raise_server_exceptions=False) as client:
        schema = schemathesis.openapi.from_dict(client.get(f"{PREFIX}/openapi.json").json())
        for offered in schema.get_all_operations():
            operation = offered.ok()

            def look(case, data):
                request = asked(case, data)
                answer = client.request(**request)
                came[answer.status_code] += 1
                try:
                    seen(answer)
                    case.validate_response(schemathesis.Response.from_any(answer), checks=checks)
                except Exception as error:  # noqa: BLE001
                    reasons = [str(one) for one in getattr(error, "exceptions", [error])]
                    wrong.append((request, answer.status_code, answer.text[:200], reasons))

            examples = settings(
                max_examples=count,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            seed(0)(examples(given(case=operation.as_strategy(), data=st.data())(look)))()
    return came, wrong


def asked(case, data):
    """Return a case as what a client sends, with names that are there and values that are none."""
    for part in (case.query, case.body):
        for name in sorted(KNOWN.keys() & part.keys()) if isinstance(part, dict) else ():
            if data.draw(st.integers(0, 9)) < 8:
                part[name] = data.draw(st.sampled_from(KNOWN[name]))
    if case.query and data.draw(st.integers(0, 4)) == 0:
        case.query[data.draw(st.sampled_from(sorted(case.query)))] = data.draw(
            st.sampled_from(HOSTILE)
        )
    if case.path.endswith("/save/{kind}"):
        case.path_parameters = {
            "kind": data.draw(st.sampled_from(["plan", "drift", "swap-rate", "x"]))
        }
        fields = data.draw(st.sampled_from(SAVED))
        if isinstance(case.body, dict):
            case.body["request"] = fields
    given = case.as_transport_kwargs(base_url="http://localhost")
    sent = {name: given[name] for name in ("method", "url", "params", "json") if name in given}
    body = given.get("data")
    if body is not None:
        sent["content"] = data.draw(st.sampled_from(FILES))
    return sent


@pytest.mark.long
def test_whatever_is_asked_the_answer_is_documented(engine, address):
    with roundbook.open(address) as book:
        fill(book)
    came, wrong = attack(engine, 4, open_to_all=True)
    assert not wrong, wrong[:5]
    assert came[200] > 20


@pytest.mark.long
def test_whatever_is_asked_without_a_token_no_draft_is_seen(engine, address):
    with roundbook.open(address) as book:
        fill(book)

    def seen(answer):
        assert SECRET not in answer.text
        assert answer.status_code in (200, 304, 401, 404, 413, 415, 422)

    _, wrong = attack(engine, 4, open_to_all=False, seen=seen)
    assert not wrong, wrong[:5]


@pytest.mark.slow
def test_the_same_with_many_more(engine, address):
    with roundbook.open(address) as book:
        fill(book)
        other = book.ask("create_token", name="e", scope="admin", task="e").token

    for open_to_all, token in ((True, None), (False, None), (False, other)):
        _, wrong = attack(engine, 40, open_to_all=open_to_all, token=token)
        assert not wrong, wrong[:5]
