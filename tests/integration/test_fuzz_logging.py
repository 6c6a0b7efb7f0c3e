"""Whatever the file: all of it is logged, or nothing is."""

from __future__ import annotations

import random
import secrets
from collections import Counter
from typing import get_args

import numpy as np
import pytest
from tests.damaged_files import FORMATS, MAX_BYTES, bounded, check_refusal, damaged, real_tables
from tests.databases import fingerprints
from tests.factories import log_files

from roundbook.database.engine import unit_of_work
from roundbook.errors import BadFileError, DatabaseError, RoundbookError
from roundbook.formats import apply_missing_policy, read_scores
from roundbook.logbook.lookup import find_series, read_current_matrix
from roundbook.logbook.session import Work
from roundbook.logbook.storing import load_matrix
from roundbook.requests.fields import Missing

pytestmark = pytest.mark.one_server

EVERY_DAY, EVERY_NIGHT = 12, 200
LAYOUTS = [name for name in FORMATS if name != "teams"]


def stored(engine, label):
    with unit_of_work(engine) as connection:
        series = find_series(connection, "fuzz", label, "AP", None)
        return load_matrix(connection, read_current_matrix(connection, series))


def by_name(topics, runs, scores):
    return {
        (topic, run): value
        for topic, row in zip(topics, np.asarray(scores).tolist(), strict=True)
        for run, value in zip(runs, row, strict=True)
    }


@pytest.mark.long
@pytest.mark.parametrize("name", LAYOUTS)
def test_whole_or_not_at_all(engine, tmp_path, shared, nightly, capfd, name):
    tables = real_tables(shared)
    wanted, night = (EVERY_NIGHT, secrets.randbits(32)) if nightly else (EVERY_DAY, 0)
    path, teams = tmp_path / "scores.txt", tmp_path / "teams.csv"
    outcomes = Counter()
    before = fingerprints(engine)
    for number in range(wanted):
        seed = f"{name} {night} {number}"  # random.Random(seed) makes the same files again
        chance = random.Random(seed)
        table = chance.choice(tables)
        path.write_bytes(damaged(FORMATS[name].data(table), chance))
        described = FORMATS["teams"].data(table)
        teams.write_bytes(damaged(described, chance) if number % 4 == 0 else described)
        policy, label = chance.choice(get_args(Missing)), f"round {number}"
        try:
            with bounded(seed):
                done = log_files(
                    engine,
                    "fuzz",
                    label,
                    [path],
                    "AP",
                    teams=teams if number % 2 == 0 else None,
                    missing=policy,
                    work=Work(max_file_bytes=MAX_BYTES),
                    create=True,
                    user="tester",
                )
        except DatabaseError:
            raise
        except RoundbookError as refusal:
            if isinstance(refusal, BadFileError):
                check_refusal(str(refusal), str(tmp_path))
            assert fingerprints(engine) == before, seed
            outcomes["refused"] += 1
            continue
        read = apply_missing_policy(read_scores([path], measure="AP", max_bytes=MAX_BYTES), policy)
        kept = stored(engine, label)
        assert by_name(kept.topics, kept.runs, kept.scores) == by_name(
            read.topics, read.runs, read.scores
        ), seed
        after = fingerprints(engine)
        added = {table: after[table].rows - before[table].rows for table in after}
        assert (done.status, added["matrix"], added["round"]) == ("logged", 1, 1), seed
        assert added["score_vector"] == added["run"] == len(read.runs), seed
        assert added["matrix_topic"] == len(read.topics), seed
        # One run alone gives no factors.
        assert added["factor"] == (len(read.topics) if len(read.runs) > 1 else 0), seed
        before = after
        outcomes["logged"] += 1
    assert outcomes.total() == wanted
    assert min(outcomes["refused"], outcomes["logged"]) >= 1
    assert capfd.readouterr() == ("", "")
