"""Whatever the bytes: a complete result or one sentence, and soon."""

import gzip
import random
import secrets
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.damaged_files import (
    FORMATS,
    MAX_BYTES,
    Table,
    bounded,
    check_refusal,
    damaged,
    layouts_of,
    real_tables,
    rows_text,
)

from roundbook.errors import InputError
from roundbook.formats import LAYOUTS, RunTeam, read_scores, read_teams

# Files of each format; the nightly run draws other ones every night.
EVERY_DAY, EVERY_NIGHT = 50, 2_000
FUZZ = settings(
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def read(path, measure="AP", **options):
    with bounded(path):
        return read_scores([path], measure=measure, max_bytes=MAX_BYTES, **options)


def outcome_of_scores(path, **options):
    """Read a file, check what comes of it, and tell whether it was accepted."""
    try:
        matrix = read(path, **options)
    except InputError as refusal:
        check_refusal(str(refusal), str(path))
        return False
    assert matrix.scores.shape == (len(matrix.topics), len(matrix.runs))
    assert matrix.scores.size > 0
    assert not np.isinf(matrix.scores).any()
    assert matrix.layout in LAYOUTS
    for names in (matrix.topics, matrix.runs):
        assert len(set(names)) == len(names)
        for name in names:
            assert name.strip() == name != ""
            name.encode("utf-8")
    if matrix.scores.size <= 5_000:
        reads_back(matrix, path.with_name("again"))
    return True


def reads_back(matrix, path):
    """Write the scores in every layout that can hold them, and read them again."""
    table = Table(matrix.topics, matrix.runs, matrix.scores.tolist())
    for layout, files in layouts_of(table):
        for text, held in files:
            path.write_text(text, encoding="utf-8", newline="")
            one_run_a_file = layout in {"ir_measures", "ntcireval"}
            expected = held._replace(runs=["again"]) if one_run_a_file else held
            same(read(path, layout=layout), expected)
            try:
                again = read(path)
            except InputError as refusal:  # doubtful, but never taken for another
                check_refusal(str(refusal), str(path))
            else:
                same(again, expected)


def same(matrix, table):
    assert set(matrix.topics) == set(table.topics)
    assert list(matrix.runs) == list(table.runs)
    rows_of = dict(zip(matrix.topics, matrix.scores.tolist(), strict=True))
    np.testing.assert_array_equal([rows_of[topic] for topic in table.topics], table.rows)


def outcome_of_teams(path):
    try:
        with bounded(path):
            teams = read_teams(path, MAX_BYTES)
    except InputError as refusal:
        check_refusal(str(refusal), str(path))
        return False
    assert all(team.run == run for run, team in teams.items())
    again = path.with_name("again")
    again.write_text(teams_text(teams.values()), encoding="utf-8", newline="")
    assert read_teams(again, MAX_BYTES) == teams
    return True


def teams_text(teams: list[RunTeam]) -> str:
    rows = [["run", "team", "type", "pool", "system"]]
    pool = {True: "yes", False: "no", None: ""}
    rows += [
        [t.run, t.team, t.type or "", pool[t.contributed_to_pool], t.system or ""] for t in teams
    ]
    return rows_text(rows, "\t")


def test_every_layout_has_a_writer_of_damaged_files():
    assert set(LAYOUTS) <= {kind.layout for kind in FORMATS.values()}


def test_there_are_enough_of_them():
    assert len(FORMATS) * EVERY_DAY >= 500
    assert len(FORMATS) * EVERY_NIGHT >= 20_000


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files(tmp_path, shared, nightly, capfd, name):
    tables, kind = real_tables(shared), FORMATS[name]
    wanted, night = (EVERY_NIGHT, secrets.randbits(32)) if nightly else (EVERY_DAY, 0)
    path = tmp_path / "scores.txt"
    accepted = Counter()
    for number in range(wanted):
        seed = f"{name} {night} {number}"  # random.Random(seed) makes the same file again
        chance = random.Random(seed)
        data = damaged(kind.data(chance.choice(tables)), chance)
        path.write_bytes(data)
        try:
            if kind.layout == "teams":
                accepted[outcome_of_teams(path)] += 1
            else:
                chosen = chance.choice(["auto", "auto", kind.layout, kind.layout, *LAYOUTS])
                accepted[outcome_of_scores(path, layout=chosen)] += 1
        except BaseException as error:
            error.add_note(f"of the file {seed!r}: {data[:300]!r}")
            raise
    assert accepted.total() == wanted
    assert min(accepted[True], accepted[False]) >= wanted / 50
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
@pytest.mark.parametrize("folder", ["adhoc", "web", "treccovid", "longeval2023", "ntcir7_ir4qa"])
def test_damaged_real_files(tmp_path, shared, nightly, capfd, folder):
    """Whole files as they are, most of them wide, some no score files at all."""
    files = sorted(f for f in (shared / "data" / folder).iterdir() if f.stat().st_size < 2**17)
    path = tmp_path / "scores.txt"
    wanted, night = (200, secrets.randbits(32)) if nightly else (5, 0)
    for number in range(wanted):
        seed = f"{folder} {night} {number}"
        chance = random.Random(seed)
        path.write_bytes(damaged(chance.choice(files).read_bytes(), chance))
        try:
            outcome_of_scores(path)
            outcome_of_teams(path)
        except BaseException as error:
            error.add_note(f"of the file {seed!r}")
            raise
    assert capfd.readouterr() == ("", "")


SEEDS = [
    b"topic,a,b\n1,0.5,0.6\n2,0.5,\nall,0.5,0.6\n",
    b"topic\trun\tmeasure\tscore\n1\ta\tmap\t0.5\n2\ta\tmap\t0.25\n",
    b"map\t301\t0.1\nrelstring\t301\t'01'\nrunid\tall\tx\nmap\tall\t0.1\n",
    b"1\tAP\t0.5\n2\tAP\t0.6\nall\tAP\t0.55\n",
    b'{"query_id": "1", "measure": "AP", "value": 0.5}\n',
    b"0001 # syslen=1 jrel=1 jnonrel=1\n0001 AP=      0.5\n0001 Q@0010= 0.1\n",
    b"run,team,type,contributed_to_pool\na,x,manual,yes\n",
    gzip.compress(b"topic,a\n1,0.5\n", mtime=0),
]
PIECES = st.sampled_from(
    [
        *(mark.encode() for mark in ',\t;"\n\r =#@{}[-'),
        *(b"all", b"mean", b"map", b"AP", b"topic", b"run", b"score"),
        *(b"0.5", b"1e999", b"nan", b"1_0", b"9" * 400),
        *(b"\xef\xbb\xbf", b"\xff", b"\x00", "\u2028".encode(), "\u0661".encode()),
    ]
)


@st.composite
def mutated(draw):
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        to = draw(st.integers(at, min(len(data), at + 12)))
        data[at:to] = draw(st.one_of(PIECES, st.just(b""), st.binary(max_size=3)))
    return bytes(data)


@pytest.mark.long
@settings(FUZZ, max_examples=max(300, settings.default.max_examples))
@given(
    st.one_of(mutated(), st.binary(max_size=200), st.lists(PIECES, max_size=40).map(b"".join)),
    st.sampled_from(["auto", *LAYOUTS]),
    st.sampled_from(["AP", "map", "nDCG@10", ""]),
    st.sampled_from([None, "map", ""]),
)
@example(b'"', "auto", "AP", None)
@example(b"\x1f\x8b", "auto", "AP", None)
@example(b"topic,a\n" + b"1" * 300_000 + b",1\n", "auto", "AP", None)
@example(b"topic,a\n1," + b"9" * 1_000_000, "auto", "AP", None)
@example(b'topic,"' + b"a" * 200_000 + b'"\n1,0\n', "auto", "AP", None)
@example(b"a" * 200_000 + b" AP= 1\n", "auto", "AP", None)
@example(b"1\t" + b"(@0" * 100_000 + b"\t1\n", "ir_measures", "AP", None)
@example(b"1 " + b"a=1" * 100_000, "auto", "AP", None)
def test_scores(tmp_path, data, layout, measure, file_measure):
    path = tmp_path / "f"
    path.write_bytes(data)
    outcome_of_scores(path, layout=layout, measure=measure, file_measure=file_measure)


@pytest.mark.long
@settings(FUZZ, max_examples=max(200, settings.default.max_examples))
@given(st.one_of(mutated(), st.binary(max_size=200)))
def test_teams(tmp_path, data):
    path = tmp_path / "f"
    path.write_bytes(data)
    outcome_of_teams(path)
