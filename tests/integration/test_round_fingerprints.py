"""The fingerprint of a round: over what counts in it, whatever the database and the order."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from tests.databases import execute, rows
from tests.factories import (
    create_round,
    create_task,
    fit_factor_set,
    import_archive,
    list_events,
    log_scores,
    publish_round,
    verify_round,
    withdraw_matrix,
)

from roundbook.errors import NotRecordedError, RecordError, RequestError

ANY = "0" * 64
MEASURES = ("nDCG@10", "AP")


def scores(seed=0):
    return np.random.default_rng(seed).random((4, 3))


def fingerprint(engine, task="t"):
    return verify_round(engine, task, "r", ANY).fingerprint


def test_it_is_that_of_the_documented_lines(engine):
    """By hand, as docs/how-to/publish-a-round.md says."""
    log_scores(engine, "r", scores())
    log_scores(engine, "r", scores(1), "nDCG@10", assessments="crowd")
    lines = [["roundbook round", 1], ["task", "t"], ["round", "r"]]
    for measure, label, seed in (("AP", "official", 0), ("nDCG@10", "crowd", 1)):
        ((digest,),) = rows(
            engine,
            "SELECT content_hash FROM roundbook.matrix JOIN roundbook.measure"
            " ON measure.id = measure_id WHERE name = :measure",
            measure=measure,
        )
        topics, runs = [f"t{n}" for n in range(4)], [f"run{n}" for n in range(3)]
        lines += [["matrix", measure, label, digest], ["topics", *topics], ["runs", *runs]]
        lines += [["standardising runs", *runs], ["topics without spread", "average"]]
        factors = rows(
            engine,
            "SELECT topic.name, mean, sd FROM roundbook.factor"
            " JOIN roundbook.topic ON topic.id = topic_id"
            " JOIN roundbook.matrix ON matrix.id = factor.matrix_id WHERE content_hash = :digest"
            " ORDER BY 1",
            digest=digest,
        )
        lines += [["factor", *factor] for factor in factors]
        means = [mean for _, mean, _ in factors]
        assert means == pytest.approx(scores(seed).mean(axis=1))
    text = "".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines
    )
    assert fingerprint(engine) == hashlib.sha256(text.encode()).hexdigest()


def test_neither_ids_nor_the_order_of_logging_count(engine, second):
    for number, measure in enumerate(MEASURES):
        log_scores(engine, "r", scores(number), measure)
    create_task(second, "another", user="ann")
    log_scores(second, "r", scores(9), "P@5", task="another")
    for number, measure in reversed([*enumerate(MEASURES)]):
        log_scores(second, "r", scores(number)[::-1], measure, revise=None)
    # The topics stand in another order there, under other names.
    assert fingerprint(engine) != fingerprint(second)
    for number, measure in enumerate(MEASURES):
        log_scores(second, "r", scores(number), measure, revise="The rows were upside down")
    assert fingerprint(engine) == fingerprint(second)


def test_what_changes_it(engine):
    seen = [None]

    def is_new():
        seen.append(fingerprint(engine))
        return len({*seen}) == len(seen)

    log_scores(engine, "r", scores())
    assert is_new()
    log_scores(engine, "r", scores(), assessments="crowd")
    assert is_new()
    number = log_scores(engine, "r", scores() / 2, revise="Halved").matrix
    assert is_new()
    fit_factor_set(engine, "t", "r", "AP", runs=["run0", "run1"], reason="Fewer", user="ann",
                   assessments="official")  # fmt: skip
    assert is_new()
    withdraw_matrix(engine, number, "Wrong", user="ann")
    assert is_new()
    execute(
        engine,
        "ALTER TABLE roundbook.factor DISABLE TRIGGER USER",
        "UPDATE roundbook.factor SET mean = mean * (1 + 2.3e-16)",
    )
    assert is_new()


def test_publishing_notes_it(engine):
    log_scores(engine, "r", scores())
    with pytest.raises(NotRecordedError, match="No fingerprint was noted of round 'r'"):
        verify_round(engine, "t", "r")
    published = publish_round(engine, "t", "r", user="ann")
    assert published.fingerprint == fingerprint(engine)
    (noted,) = list_events(engine, task_name="t", what="round published").events
    assert noted.details == {"matrices": 1, "fingerprint": published.fingerprint}
    same = verify_round(engine, "t", "r")
    assert (same.status, same.expected) == ("same", published.fingerprint)
    assert verify_round(engine, "t", "r", published.fingerprint.upper()).status == "same"
    log_scores(engine, "r", scores(1), revise="Judged again")
    different = verify_round(engine, "t", "r")
    assert (different.status, different.expected) == ("different", published.fingerprint)
    assert [change.what for change in different.changed_by] == ["matrix revised"]
    again = publish_round(engine, "t", "r", user="ann")
    assert again.fingerprint == different.fingerprint
    assert again.published_fingerprint == published.fingerprint


def test_it_is_computed_from_the_scores(engine):
    log_scores(engine, "r", scores())
    publish_round(engine, "t", "r", user="ann")
    execute(
        engine,
        "ALTER TABLE roundbook.score_vector DISABLE TRIGGER USER",
        "UPDATE roundbook.score_vector SET scores[1] = scores[1] / 2 WHERE position = 0",
    )
    altered = verify_round(engine, "t", "r")
    assert (altered.status, altered.changed_by) == ("different", [])
    execute(engine, "DELETE FROM roundbook.score_vector WHERE position = 0")
    with pytest.raises(
        RecordError, match=r"Matrix \d+ is damaged: it was logged with 4 topics and"
    ):
        verify_round(engine, "t", "r")


@pytest.mark.long
def test_it_is_carried_by_archives(engine, whole):
    import_archive(engine, whole)
    assert verify_round(engine, "web", "2023").status == "same"


def test_what_is_no_fingerprint_or_no_round(engine):
    create_task(engine, "t", user="ann")
    create_round(engine, "t", "r", user="ann")
    for wrong in ("", "xyz", "0" * 63, "g" * 64):
        with pytest.raises(RequestError, match="is 64 hexadecimal digits, as it was printed"):
            verify_round(engine, "t", "r", wrong)
    assert verify_round(engine, "t", "r", ANY).status == "different"
    with pytest.raises(NotRecordedError, match="no round"):
        verify_round(engine, "t", "other", ANY)
