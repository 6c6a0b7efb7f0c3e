"""Whatever the bytes: a complete result or one of our errors, and soon."""

import gzip

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from service.errors import RoundbookError
from service.formats import LAYOUTS, read_scores, read_teams

FUZZ = settings(
    max_examples=300, deadline=5000, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
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
        b",",
        b"\t",
        b";",
        b'"',
        b"\n",
        b"\r",
        b" ",
        b"=",
        b"#",
        b"@",
        b"all",
        b"mean",
        b"map",
        b"AP",
        b"0.5",
        b"1e999",
        b"nan",
        b"topic",
        b"run",
        b"score",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\x00",
        b"{",
        b"}",
        b"[",
        b"9" * 400,
        "\u2028".encode(),
        "\u0661".encode(),
        b"1_0",
        b"-",
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


@FUZZ
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
    options = {"measure": measure, "file_measure": file_measure, "layout": layout}
    refusal = None
    try:
        matrix = read_scores([path], **options, max_bytes=10**7)
    except RoundbookError as error:
        refusal = str(error)
    if refusal is not None:
        assert len(refusal) < 5000
        assert "\n" not in refusal
        return
    assert matrix.scores.shape == (len(matrix.topics), len(matrix.runs))
    assert matrix.scores.size > 0
    assert not np.isinf(matrix.scores).any()
    assert matrix.layout in LAYOUTS
    for name in matrix.topics + matrix.runs:
        assert name.strip() == name != ""
        name.encode("utf-8")


@FUZZ
@given(st.one_of(mutated(), st.binary(max_size=200)))
def test_teams(tmp_path, data):
    path = tmp_path / "f"
    path.write_bytes(data)
    try:
        teams = read_teams(path, 10**6)
    except RoundbookError:
        return
    assert all(team.run == run for run, team in teams.items())
