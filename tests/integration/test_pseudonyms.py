"""Anonymous drafts: no name of a team or a run gets out, and a run keeps its pseudonym."""

from __future__ import annotations

import re
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import text
from tests.databases import rows
from tests.factories import (
    compare_rankings,
    export_matrix,
    log_scores,
    publish_round,
    refusing,
    show_matrix,
    standardise,
)

from roundbook.database.engine import unit_of_work
from roundbook.errors import NotRecordedError, RecordError
from roundbook.formats import RunTeam
from roundbook.logbook.events import record_event
from roundbook.logbook.pseudonyms import draft_pseudonyms
from roundbook.logbook.session import Session

TEAMS = {"Aalto": ("aalto-bm25", "aalto-dense"), "Bologna": ("bol-1",), "Cork": ("ucc", "ucc-x")}
UNKNOWN = ("mystery", "stranger")
TAGS = (*(tag for tags in TEAMS.values() for tag in tags), *UNKNOWN)
ABOUT = {
    tag: RunTeam(tag, team, f"type of {team}", tag == "ucc", f"system of {team}")
    for team, tags in TEAMS.items()
    for tag in tags
}
SECRET = re.compile("|".join([*TEAMS, *TAGS, "type of", "system of"]), re.IGNORECASE)


def log(engine, tags=TAGS, *, label="r1", seed=1, **options):
    scores = np.random.default_rng(seed).random((6, len(tags)))
    options = {"teams": ABOUT, "files": ("aalto.csv",), **options}
    return log_scores(engine, label, scores, runs=tags, **options).matrix


def names(engine, label="r1"):
    with unit_of_work(engine) as connection:
        round_id = connection.execute(
            text("SELECT id FROM roundbook.round WHERE label = :label"), {"label": label}
        ).scalar_one()
        return draft_pseudonyms(connection, round_id)


def set_key(engine, key):
    """Give every round this key, past the guard."""
    with unit_of_work(engine) as connection:
        connection.execute(text("ALTER TABLE roundbook.round DISABLE TRIGGER immutable"))
        connection.execute(text("UPDATE roundbook.round SET pseudonym_key = :key"), {"key": key})
        record_event(Session(connection, "tester"), "keys changed")
        connection.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
        connection.execute(text("ALTER TABLE roundbook.round ENABLE ALWAYS TRIGGER immutable"))
        connection.commit()


def test_pseudonyms_say_who_belongs_together_and_no_more(engine):
    log(engine)
    teams, runs = names(engine)
    assert sorted(teams.values()) == ["team 1", "team 2", "team 3"]
    assert set(teams) == set(TEAMS)
    assert len(set(runs.values())) == len(TAGS)
    for team, tags in TEAMS.items():
        stem = teams[team].replace(" ", "")
        assert {runs[tag] for tag in tags} == {
            f"{stem}-run{number}" for number in range(1, len(tags) + 1)
        }
    for tag in UNKNOWN:
        assert re.fullmatch(r"run[1-7]", runs[tag])
    # Numbered order, and runs of unknown teams last.
    assert [name.startswith("team") for name in runs.values()] == [True] * 5 + [False] * 2


def test_the_order_hangs_on_the_key_alone(engine):
    log(engine)
    orders = set()
    for number in range(40):
        set_key(engine, UUID(int=number))
        orders.add(tuple(names(engine).teams))
        assert names(engine) == names(engine)
    assert len(orders) == 6  # all the orders that three teams have


def test_rounds_have_keys_of_their_own(engine):
    many = [f"s{number}" for number in range(60)]
    for label in ("r1", "r2"):
        log(engine, many, label=label, teams={})
    assert names(engine, "r1").runs != names(engine, "r2").runs


def test_they_are_the_same_for_every_measure_and_stay_when_runs_come_later(engine):
    log(engine, TAGS[1:4])
    first = names(engine).runs
    log(engine, TAGS[1:4], measure="nDCG@10", seed=2)
    assert names(engine).runs == first
    log(engine, TAGS, measure="P@5", seed=3)
    teams, later = names(engine)
    assert {tag: later[tag] for tag in first} == first
    assert set(later) == set(TAGS)
    assert len(set(later.values())) == len(TAGS)
    log(engine, ["newcomer", *TAGS], measure="RR", seed=4)
    assert {tag: names(engine).runs[tag] for tag in TAGS} == later
    assert names(engine).teams == teams


def test_a_team_that_becomes_known_gives_its_runs_new_names(engine):
    log(engine, teams={})
    before = names(engine)
    assert before.teams == {}
    assert set(before.runs.values()) == {f"run{number}" for number in range(1, 8)}
    log(engine)
    after = names(engine)
    assert {tag: after.runs[tag] for tag in UNKNOWN} == {tag: before.runs[tag] for tag in UNKNOWN}
    assert after.runs["bol-1"].startswith(after.teams["Bologna"].replace(" ", ""))


def every_draft(engine, matrix, **options):
    """Everything that can be had anonymously, as it is printed."""
    return [
        show_matrix(engine, matrix, **options),
        *(export_matrix(engine, matrix, layout=layout, **options) for layout in ("wide", "long")),
        compare_rankings(engine, "t", "r1", "AP", resamples=50, **options),
        standardise(engine, "t", "r1", "AP", **options),
    ]


def test_no_name_gets_out(engine, tmp_path):
    matrix = log(engine)
    for answer in every_draft(engine, matrix, anonymous=True):
        assert not SECRET.search(answer.model_dump_json()), answer
        assert answer.anonymous is True
    for answer in every_draft(engine, matrix):
        assert SECRET.search(answer.model_dump_json())
        assert answer.anonymous is False
    where = tmp_path / "drafts"
    export_matrix(engine, matrix, layout="trec_eval", output=where, anonymous=True)
    written = {path.name: path.read_text() for path in where.iterdir()}
    assert len(written) == len(TAGS)
    assert not SECRET.search(str(written))
    # Nor the key, nor a hash of the scores with their tags, against which names could be tried.
    key, digest = rows(
        engine, "SELECT pseudonym_key, content_hash FROM roundbook.round, roundbook.matrix"
    )[0]
    for answer in every_draft(engine, matrix, anonymous=True):
        printed = answer.model_dump_json()
        assert not any(secret in printed for secret in (str(key), key.hex, digest))


def test_scores_follow_their_runs(engine):
    matrix = log(engine)
    runs = names(engine).runs
    named, drafted = every_draft(engine, matrix), every_draft(engine, matrix, anonymous=True)
    # The order in which they were logged would tell: pseudonyms stand in their own.
    assert [row.run for row in drafted[0].runs] == list(runs.values())
    assert drafted[4].runs == list(runs.values())
    assert drafted[1].content.splitlines()[0].split(",")[1:] == list(runs.values())
    by_name = dict(zip(named[4].runs, named[4].scores, strict=True))
    assert dict(zip(drafted[4].runs, drafted[4].scores, strict=True)) == {
        runs[tag]: scores for tag, scores in by_name.items()
    }
    means = {row.run: (row.mean_a, row.rank_a, row.mean_b) for row in named[3].ranking}
    assert {row.run: (row.mean_a, row.rank_a, row.mean_b) for row in drafted[3].ranking} == {
        runs[tag]: row for tag, row in means.items()
    }
    assert [runs[row.run] for row in named[3].ranking] == [row.run for row in drafted[3].ranking]
    assert named[3].tau_b == drafted[3].tau_b

    def cells(exported):
        rows = [line.split(",") for line in exported.content.splitlines()[1:]]
        return {(run, topic): value for run, topic, _, value in rows}

    assert cells(drafted[2]) == {
        (runs[tag], topic): value for (tag, topic), value in cells(named[2]).items()
    }
    # The organiser's own view says who is who.
    assert {row.run: row.pseudonym for row in named[0].runs} == runs
    assert {row.team for row in drafted[0].runs} == {"team 1", "team 2", "team 3", None}


def test_tied_runs_stand_in_the_order_of_their_pseudonyms(engine):
    tags = [f"s{number}" for number in range(12)]
    scores = np.tile(np.random.default_rng(1).random((5, 1)), (1, 12))
    log_scores(engine, "r1", scores, runs=tags)
    ranking = compare_rankings(engine, "t", "r1", "AP", resamples=50, anonymous=True)
    assert [row.run for row in ranking.ranking] == list(names(engine).runs.values())


def test_scores_off_a_tie_are_told_by_pseudonym(engine):
    tags = TAGS[:4]
    about = {tag: replace(ABOUT[tag], contributed_to_pool=tag != "bol-1") for tag in tags}
    scores = np.random.default_rng(1).random((3, 4))
    scores[0] = [0.5, 0.5, 0.9, 0.5]
    log_scores(engine, "r1", scores, topics="abc", runs=tags, teams=about)
    (named,) = standardise(engine, "t", "r1", "AP").off_ties
    (hidden,) = standardise(engine, "t", "r1", "AP", anonymous=True).off_ties
    assert (named.run, named.topic) == ("bol-1", "a")
    assert (hidden.run, hidden.topic) == (names(engine).runs["bol-1"], "a")


def test_runs_are_asked_for_by_their_pseudonyms(engine):
    matrix = log(engine)
    wanted = names(engine).runs["ucc"]
    exported = export_matrix(engine, matrix, layout="trec_eval", runs=[wanted], anonymous=True)
    assert f"\tall\t{wanted}\n" in exported.content
    with pytest.raises(NotRecordedError) as refused:
        export_matrix(engine, matrix, runs=["ucc"], anonymous=True)
    assert not SECRET.search(str(refused.value).replace("'ucc'", ""))


def test_once_published_the_names_are_public(engine):
    matrix = log(engine)
    publish_round(engine, "t", "r1", user="ann")
    for ask in (
        lambda: show_matrix(engine, matrix, anonymous=True),
        lambda: export_matrix(engine, matrix, anonymous=True),
        lambda: compare_rankings(engine, "t", "r1", "AP", anonymous=True),
        lambda: standardise(engine, "t", "r1", "AP", anonymous=True),
    ):
        with refusing(RecordError, r"^Round 'r1' is published.*--anonymous\.$"):
            ask()
    assert {row.pseudonym for row in show_matrix(engine, matrix).runs} == {None}
