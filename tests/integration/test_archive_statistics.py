"""What an archive derives from its scores is computed again: altered, it is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.archives import a_third, both, changed, contents_of, edit, put
from tests.databases import counts, database_on, load_release
from tests.factories import (
    Design,
    export_archive,
    fit_factor_set,
    import_archive,
    log_files,
    log_scores,
    plan_task,
    save_plan,
    save_report,
    verify_record,
)
from tests.integration.test_upgrades import RELEASED

from roundbook.database.schema import upgrade
from roundbook.errors import BadFileError

pytestmark = pytest.mark.one_server


@pytest.fixture
def comes_back(second, tmp_path):
    """Import what is honest; exported again it must be the same archive."""

    def call(file):
        import_archive(second, file, user="importer")
        export_archive(second, tmp_path / "again.zip")
        assert contents_of(tmp_path / "again.zip") == contents_of(file)

    return call


@pytest.fixture
def refused(engine):
    """Import what was altered; return the sentence. No table may change."""

    def call(file):
        with pytest.raises(BadFileError) as error:
            import_archive(engine, file, user="importer")
        assert not any(counts(engine).values())
        sentence = str(error.value)
        assert "\n" not in sentence
        assert len(sentence.split()) < 60
        return sentence

    return call


# how an archive is altered


def swapped(name, one, other, *columns):
    def change(table):
        first, second = table[one - 1], table[other - 1]
        for column in columns:
            first[column], second[column] = second[column], first[column]

    return edit(name, change)


def of_set(table, number):
    """Return the factors of a factor set."""
    return [row for row in table if row["factor_set_id"] == number]


def take_out(table, matrix):
    """Remove the estimates of a matrix, and number the others anew."""
    table[:] = [row for row in table if row["matrix_id"] != matrix]
    for number, row in enumerate(table, 1):
        row["id"] = str(number)


def exchange(table, one, other):
    """Give two factor sets of the same topics each other's factors."""
    first, second = of_set(table, one), of_set(table, other)
    for here, there in zip(first, second, strict=True):
        for column in ("mean", "sd"):
            here[column], there[column] = there[column], here[column]


def inserted(name, at, row):
    return edit(name, lambda table: table.insert(at - 1, row))


def without(name, *numbers):
    return edit(
        name,
        lambda table: [table.pop(number - 1) for number in sorted(numbers, reverse=True)],
    )


def result(name, number, change):
    """Return a change of a plan's or drift report's result."""

    def call(table):
        saved = json.loads(table[number - 1]["result"])
        change(saved)
        table[number - 1]["result"] = json.dumps(
            saved, ensure_ascii=False, sort_keys=True, separators=(",", ":")
        )

    return edit(name, call)


def double(value):
    return 2 * value


TWO_TIMES = {"sum_of_squares": double, "variance": double}
FIRST = "'web' round '2023', nDCG@10 (official, revision 1)"

# Row 1 of factor.csv is topic 1 of factor set 1. Sets 3, 6 and 9 have a topic without spread, in
# row 24 for set 3. In variance_estimate.csv matrix 1 has rows 1 (raw), 2 (std-ab), 3 (std-cdf).
ALTERED = {
    "a mean": (
        put("factor", 1, mean="0.5"),
        f"factor.csv: {FIRST}, factor version 1: the mean of topic '1' is 0.5, and the scores of"
        " its 8 standardising runs give 0.7079125.",
    ),
    "a mean a little": (put("factor", 5, mean=lambda mean: mean * (1 + 1e-8)), "of topic '5' is"),
    "an sd": (
        put("factor", 2, sd="0.25"),
        "factor version 1: the sd of topic '2' is 0.25, and the scores of its 8 standardising runs"
        " give 0.17599766",
    ),
    "an sd a little": (put("factor", 2, sd=lambda sd: sd * (1 - 1e-8)), "the sd of topic '2' is"),
    "an sd with ddof 0": (put("factor", 2, sd=lambda sd: sd * (7 / 8) ** 0.5), "the sd of topic"),
    "a spread taken away": (put("factor", 1, sd="0.0"), "the sd of topic '1' is 0.0, and"),
    "a spread where all runs tie": (
        put("factor", 24, sd="1e-30"),
        "P@5 (official, revision 1), factor version 1: the sd of topic '1' is 1e-30, and the"
        " scores of its 8 standardising runs give 0.0.",
    ),
    "a mean where all runs tie": (put("factor", 24, mean="0.2"), "topic '1' is 0.2, and"),
    "two topics' factors": (swapped("factor", 1, 2, "mean", "sd"), "topic '1' is 0.6592875"),
    "two versions' factors": (
        edit("factor", lambda table: exchange(table, "2", "10")),
        "revision 2), factor version 2: the mean of topic '1' is",
    ),
    "a topic without a factor": (
        without("factor", 3),
        "has factors of 11 topics, not of 12.",
    ),
    "no factors at all": (
        edit("factor", lambda table: table.clear()),
        "has factors of 0 topics, not of 12.",
    ),
    "a standardising run more": (
        inserted("factor_set_run", 5, {"factor_set_id": "4", "matrix_id": "4", "run_id": "16"}),
        "says that 4 runs standardise it, but 5 do.",
    ),
    "a standardising run more, and counted": (
        both(
            inserted("factor_set_run", 5, {"factor_set_id": "4", "matrix_id": "4", "run_id": "16"}),
            put("factor_set", 4, runs="5"),
        ),
        "and the scores of its 5 standardising runs give",
    ),
    "a standardising run less": (
        without("factor_set_run", 1),
        "says that 4 runs standardise it, but 3 do.",
    ),
    "another standardising run": (put("factor_set_run", 1, run_id="10"), "the mean of topic '1'"),
    "a standardising run of another round": (
        put("factor_set_run", 1, run_id="1"),
        "the record refuses what it holds",
    ),
    "runs listed where all standardise": (
        inserted("factor_set_run", 1, {"factor_set_id": "1", "matrix_id": "1", "run_id": "1"}),
        "says that 8 runs standardise it, but 1 do.",
    ),
    "fewer runs than all": (
        put("factor_set", 1, runs="7"),
        "says that 7 runs standardise it, but 8 do.",
    ),
    "all runs instead of the pool's": (
        both(
            put("factor_set", 4, standardising="all", runs="8"),
            without("factor_set_run", 1, 2, 3, 4),
        ),
        "and the scores of its 8 standardising runs give",
    ),
    "the pool instead of all": (
        put("factor_set", 1, standardising="pooled"),
        "says that 8 runs standardise it, but 0 do.",
    ),
    "topics without spread dropped": (
        put("factor_set", 3, zero_sd="drop"),
        "P@5 (official, revision 1), std-ab scale by factor version 1: topics is 12, and the"
        " scores give 11.",
    ),
    "a variance": (
        put("variance_estimate", 2, variance="0.5"),
        f"variance_estimate.csv: {FIRST}, std-ab scale by factor version 1: variance is 0.5, and"
        " the scores give 0.01211",
    ),
    "a variance with all that agrees with it": (
        put("variance_estimate", 2, **TWO_TIMES),
        "std-ab scale by factor version 1: sum_of_squares is 2.13151",
    ),
    "a variance on std-CDF": (
        put("variance_estimate", 3, **TWO_TIMES),
        "std-cdf scale by factor version 1: sum_of_squares is",
    ),
    "a variance a little": (
        put(
            "variance_estimate",
            3,
            sum_of_squares=lambda value: value * (1 + 1e-8),
            variance=lambda value: value * (1 + 1e-8),
        ),
        "std-cdf scale by factor version 1: sum_of_squares is",
    ),
    "a raw variance with all that agrees with it": (
        put("variance_estimate", 1, **TWO_TIMES),
        "raw scale: sum_of_squares is 8.66887",
    ),
    "two scales": (swapped("variance_estimate", 2, 3, "scale"), "sum_of_squares is"),
    "a scale that none was on": (
        put("variance_estimate", 2, scale="std"),
        "std-ab scale by factor version 1: it is missing",
    ),
    "degrees of freedom": (
        put("variance_estimate", 2, dof="77"),
        "dof is 77, and the scores give 88.",
    ),
    "topics of a variance": (put("variance_estimate", 2, topics="13"), "topics is 13, and the"),
    "runs of a variance": (put("variance_estimate", 2, runs="9"), "runs is 9, and the scores"),
    "what is left of runs and topics": (
        put("variance_estimate", 3, two_way_sum_of_squares=double),
        "two_way_sum_of_squares is",
    ),
    "its degrees of freedom": (put("variance_estimate", 3, two_way_dof="88"), "two_way_dof is 88,"),
    "what is left, taken away": (
        put("variance_estimate", 3, two_way_sum_of_squares="", two_way_dof=""),
        "two_way_dof is none, and the scores give 77",
    ),
    "what teams bear on": (
        put("variance_estimate", 1, runs_part="0.5"),
        f"{FIRST}, raw scale: runs_part is 0.5, and the scores give 0.0",
    ),
    "what teams bear on, a little": (
        put("variance_estimate", 2, runs_part=lambda value: value + 1e-8),
        "std-ab scale by factor version 1: runs_part is 0.007945828276677546, and the scores give",
    ),
    "what teams bear on, taken away": (
        put("variance_estimate", 2, runs_part=""),
        "runs_part is none, and the scores give",
    ),
    "what teams bear on of two ways": (
        put("variance_estimate", 3, two_way_runs_part="0.25"),
        "two_way_runs_part is 0.25, and the scores give",
    ),
    "what teams bear on below 0": (
        put("variance_estimate", 1, runs_part="-0.5"),
        'relation "variance_estimate" violates check constraint "variance_estimate_runs_parts"',
    ),
    "fewer teams": (
        put("variance_estimate", 22, clusters="5"),
        "raw scale: clusters is 5, and the scores give 6",
    ),
    "more teams than there are": (
        put("variance_estimate", 10, clusters="5"),
        "round '2024', nDCG@10 (official, revision 1), raw scale: clusters is 5 in the last"
        " estimate, and the runs' teams give 3",
    ),
    "no teams": (
        put("variance_estimate", 1, clusters=""),
        "'' is not how an archive writes clusters.",
    ),
    "a further version of one": (
        put("variance_estimate", 1, version="2"),
        "a further estimate of matrix 1 differs from the one before in more than its teams.",
    ),
    "a matrix's estimates taken out, and its factors altered": (
        both(
            edit("variance_estimate", lambda table: take_out(table, "11")),
            edit("factor", lambda table: of_set(table, "12")[0].update(mean="0.5")),
        ),
        "nothing was kept: matrix 11 has no variance",
    ),
    "the team of a run": (
        put("run", 9, team_id="2"),
        "round '2024', nDCG@10 (official, revision 1), raw scale: runs_part is 0.01222",
    ),
    "a plan's variance": (
        result("result", 1, lambda saved: saved.update(variance=0.5)),
        "result.csv: plan 'next web' version 1: variance is 0.5, and what it rests on gives 0.04774",
    ),
    "a plan's pooled variance": (
        result("result", 1, lambda saved: saved["estimate"]["pooled"].update(variance=0.5)),
        "version 1: pooled variance is 0.5, and what it rests on gives 0.0477",
    ),
    "a plan's round": (
        result("result", 2, lambda saved: saved["estimate"]["rounds"][2].update(variance=0.5)),
        "plan 'next web' version 2: the variance of round '2025' is 0.5, and what it rests on",
    ),
    "a plan's estimate": (
        put("result_input", 1, variance_estimate_id="1"),
        "the estimate of round '2023' is 4, and what it rests on gives 1",
    ),
    "a plan's estimate, taken away": (
        without("result_input", 2),
        "version 1: its result tells of 2 inputs, and 1 are listed",
    ),
    "a plan's estimate in another place": (
        put("result_input", 2, position="5"),
        "version 1: its result tells of 2 inputs, and 2 are listed in their order",
    ),
    "a report's mean": (
        result("result", 4, lambda saved: saved["topics"][0].update(mean_from=0.5)),
        "result.csv: drift report 'web/drift-1' version 1: the mean_from of topic '1' is 0.5, and what it",
    ),
    "a report's sd": (
        result("result", 4, lambda saved: saved["topics"][1].update(sd_to=0.5)),
        "sd_to of topic '2' is 0.5, and what it rests on gives",
    ),
    "a report's topic": (
        result("result", 4, lambda saved: saved["topics"].pop()),
        "it compares 6 topics, and these are not the 7 that both factor versions have",
    ),
    "a report's count of topics": (
        result("result", 4, lambda saved: saved.update(shared_topics=9)),
        "shared_topics is 9, and what it rests on gives 7",
    ),
    "a report's shift": (
        result("result", 4, lambda saved: saved.update(mean_shift=0.01)),
        "mean_shift is 0.01, and what it rests on gives 1.574",
    ),
    "a report's ratio": (
        result("result", 4, lambda saved: saved.update(sd_ratio=1.0)),
        "sd_ratio is 1.0, and what it rests on gives",
    ),
    "a report's version": (
        result("result", 4, lambda saved: saved.update(from_version=1)),
        "from_version is 1, and what it rests on gives 3",
    ),
    "a report's factors": (
        edit("result_input", lambda table: table[-1].update(factor_set_id="11")),
        "to_matrix is 8, and what it rests on gives 10",
    ),
}


@pytest.mark.one_server
@pytest.mark.long
@pytest.mark.parametrize("what", a_third(ALTERED))
def test_what_was_altered_is_refused(whole, tmp_path, refused, what):
    change, sentence = ALTERED[what]
    assert sentence in refused(changed(whole, tmp_path / "altered.zip", change))


@pytest.mark.long
def test_last_digits_may_differ(whole, tmp_path, comes_back):
    """Another build or an older version adds up in another order."""

    def nudge(value):
        return value * (1 + 1e-13)

    def every(*columns):
        def change(table):
            for row in table:
                # Factors of the published round are in its fingerprint.
                for column in columns if int(row["matrix_id"]) > 3 else ():
                    if row[column]:
                        row[column] = repr(nudge(float(row[column])))

        return change

    change = both(
        edit("factor", every("mean", "sd")),
        edit(
            "variance_estimate",
            every("sum_of_squares", "variance", "two_way_sum_of_squares", "runs_part"),
        ),
    )
    comes_back(changed(whole, tmp_path / "nudged.zip", change))


# honest, however odd


ODD = {
    "topics on which all runs tie": lambda chance: np.vstack([np.full((3, 5), 0.1), chance(4, 5)]),
    "runs that never vary": lambda chance: np.tile(chance(1, 5), (6, 1)),
    "nothing varies": lambda chance: np.full((6, 4), 0.1),
    "rounding alone varies": lambda chance: 0.1 + 1e-16 * np.round(3 * chance(6, 4)),
    "almost ties": lambda chance: 0.1 + 1e-13 * chance(6, 4),
    "one run": lambda chance: chance(6, 1),
    "two runs, two topics": lambda chance: chance(2, 2),
    "means about 0": lambda chance: chance(8, 6) - chance(8, 6),
    "large scores": lambda chance: 1e99 * chance(6, 4),
    "small scores": lambda chance: 1e-150 * chance(6, 4),
    "far from 0": lambda chance: 1e9 + chance(6, 4),
    "few hits": lambda chance: np.round(chance(40, 7) - 0.45),
    "two kinds of topics": lambda chance: np.repeat([[0.0], [1.0]], 1000, axis=0) + np.zeros(2),
    "all in one topic": lambda chance: np.vstack([chance(1, 4), np.full((5, 4), 0.5)]),
    "all in one run": lambda chance: np.hstack([chance(5, 1), np.full((5, 3), 0.5)]),
}


@pytest.mark.both_servers
@pytest.mark.one_server
@pytest.mark.long
@pytest.mark.parametrize("zero_sd", ["average", "drop"])
def test_odd_scores_come_back(engine, comes_back, tmp_path, zero_sd):
    for what, made in ODD.items():
        scores = made(lambda *size: np.random.default_rng(3).random(size))
        log_scores(engine, what, scores, zero_sd=zero_sd, task="odd")
        if scores.shape[1] > 3:
            fit_factor_set(
                engine,
                "odd",
                what,
                "AP",
                runs=["run2", "run0"],
                reason="Fewer",
                zero_sd=zero_sd,
                user="a",
            )
    assert verify_record(engine).status == "verified"
    export_archive(engine, tmp_path / "a.zip")
    comes_back(tmp_path / "a.zip")


def test_a_tie_is_told_by_an_sd_of_exactly_0(engine, server, template, tmp_path):
    """However small: the topic would count as one that tells runs apart."""
    scores = np.vstack([np.full((1, 5), 0.1), np.random.default_rng(3).random((4, 5))])
    log_scores(engine, "r1", scores, task="odd")
    export_archive(engine, tmp_path / "a.zip")
    altered = changed(tmp_path / "a.zip", tmp_path / "b.zip", put("factor", 1, sd="1e-16"))
    with (
        database_on(server, f"TEMPLATE {template}") as other,
        pytest.raises(BadFileError, match=r"sd of topic 't0' is 1e-16, and .* give 0\.0\."),
    ):
        import_archive(other, altered, user="importer")


@pytest.mark.one_server
@pytest.mark.long
def test_more_estimates_than_are_inserted_at_once(engine, server, template, comes_back, tmp_path):
    chance = np.random.default_rng(1)
    for number in range(18):
        log_scores(engine, f"r{number}", chance.random((3, 2)), task="odd")
    export_archive(engine, tmp_path / "a.zip")
    comes_back(tmp_path / "a.zip")
    last = 3 * 18
    with database_on(server, f"TEMPLATE {template}") as third:
        altered = changed(tmp_path / "a.zip", tmp_path / "b.zip", put("factor", last, mean="0.5"))
        with pytest.raises(
            BadFileError, match=r"round 'r17'.* the mean of topic 't2' is 0\.5, and"
        ):
            import_archive(third, altered, user="importer")


@pytest.mark.long
def test_real_rounds_with_what_was_made_of_them(engine, comes_back, shared, tmp_path):
    data = shared / "data"
    for label in ("1", "2", "3"):
        log_files(
            engine,
            "covid",
            label,
            [data / f"treccovid/treccovid_round{label}_p5.csv"],
            "P@5",
            teams=data / f"treccovid/round{label}_run_team.csv",
            create=True,
            user="ann",
        )
    for scale in ("raw", "std-ab"):
        planned = plan_task(
            engine, "covid", "P@5", Design(m=(10,), min_d=(0.1,)), scale=scale, pool_by="topics"
        )
        save_plan(engine, f"next {scale}", planned, user="ann")
    save_report(engine, "covid", "P@5", user="ann")
    export_archive(engine, tmp_path / "a.zip")
    comes_back(tmp_path / "a.zip")


@pytest.mark.parametrize(
    "release",
    [
        *(pytest.param(release, marks=pytest.mark.slow) for release in RELEASED[1:-1]),
        RELEASED[0],
        pytest.param(RELEASED[-1], marks=pytest.mark.long),
    ],
)
def test_a_record_of_an_earlier_release_comes_back(bare, comes_back, tmp_path, release):
    load_release(bare, release)
    upgrade(bare)
    assert verify_record(bare).differences == []
    export_archive(bare, tmp_path / "a.zip")
    comes_back(tmp_path / "a.zip")
