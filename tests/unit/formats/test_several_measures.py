"""Several measures out of files that are read once."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from roundbook.errors import BadFileError, MissingScoresError
from roundbook.formats import apply_missing_policy, read_measures, read_scores, text
from roundbook_cli.ways_out import sentence


def trec_eval(run, scores):
    """Return trec_eval's output of a run, by measure the scores of topics 1, 2, ..."""
    lines = [
        f"{measure}\t{topic}\t{value}"
        for measure, values in scores.items()
        for topic, value in enumerate(values, 1)
    ]
    return "\n".join([*lines, f"runid\tall\t{run}", "map\tall\t0.5"]) + "\n"


COUNTED = {"num_ret": [9, 9], "relstring_20": ["'01'", "'10'"]}
A = {**COUNTED, "map": [0.1, 0.2], "ndcg_cut_10": [0.3, 0.4]}
B = {**COUNTED, "map": [0.5, 0.6], "ndcg_cut_10": [0.7, 0.8]}


@pytest.fixture
def write(tmp_path):
    def put(name, content):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    return put


def facts(matrices):
    return [(matrix.measure, matrix.runs, matrix.scores.tolist()) for matrix in matrices]


def refusal(*arguments, **options):
    with pytest.raises(BadFileError) as caught:
        read_measures(*arguments, **options)
    return sentence(caught.value)


BOTH = [
    ("map", ("a", "b"), [[0.1, 0.5], [0.2, 0.6]]),
    ("ndcg_cut_10", ("a", "b"), [[0.3, 0.7], [0.4, 0.8]]),
]


def test_all_measures_of_trec_eval_are_those_that_score(write):
    mixed = write("both.eval", trec_eval("a", A) + trec_eval("b", B))
    assert facts(read_measures([mixed], [])) == BOTH
    apart = [write("a.eval", trec_eval("a", A)), write("b.eval", trec_eval("b", B))]
    assert facts(read_measures(apart, [])) == BOTH
    assert facts(read_measures(apart, ["nDCG@10", "AP"])) == BOTH[::-1]
    # Each is what it is when it is read alone.
    assert facts([read_scores(apart, measure="AP")]) == BOTH[:1]


def test_each_file_is_read_once(write, monkeypatch):
    path = write("both.eval", trec_eval("a", A) + trec_eval("b", B))
    standard_input = SimpleNamespace(buffer=io.BytesIO(path.read_bytes()))
    monkeypatch.setattr(text.sys, "stdin", standard_input)
    assert facts(read_measures(["-"], ["AP", "nDCG@10"])) == BOTH
    assert refusal(["-"], ["AP"]) == "standard input: the file is empty."
    standard_input.buffer = io.BytesIO(b"map\t1\t0.1\nmap\t2\t0.2\n")
    assert "no file name to take the tag from" in refusal(["-"], ["AP"])


def test_a_run_may_have_a_file_a_measure(write):
    paths = [
        write(f"{name}/{run}.eval", f"{name}\t1\t{values[0]}\n{name}\t2\t{values[1]}\n")
        for name in ("map", "ndcg_cut_10")
        for run, values in (("a", A[name]), ("b", B[name]))
    ]
    assert facts(read_measures(paths, ["AP", "nDCG@10"])) == BOTH
    assert facts(read_measures(paths, [])) == BOTH
    assert [len(matrix.files) for matrix in read_measures(paths, [])] == [2, 2]
    forgotten = refusal(paths[:3], [])
    assert "run b has scores of map in these files, and none of ndcg_cut_10" in forgotten
    assert "none of AP, RR, but" in refusal(paths[2:], ["AP", "RR"])
    assert "no file holds the measure RR; name those to log with --measure" in refusal(
        paths, ["AP", "RR", "nDCG@10"]
    )


def test_long_files_and_other_tools(write):
    long = write(
        "long.csv",
        "run,topic,measure,value\na,1,AP,.1\na,2,AP,.2\na,1,P@5,.4\na,2,P@5,.6\nb,1,AP,.5\n"
        "b,2,AP,.6\nb,1,P@5,.8\nb,2,P@5,1\n",
    )
    precision = ("P@5", ("a", "b"), [[0.4, 0.8], [0.6, 1.0]])
    expected = [("AP", *BOTH[0][1:]), precision]
    assert facts(read_measures([long], [])) == expected
    columns = write("columns.csv", "run,topic,AP,P@5\na,1,.1,.4\na,2,.2,.6\nb,1,.5,.8\nb,2,.6,1\n")
    assert facts(read_measures([columns], [])) == expected
    assert facts(read_measures([columns], ["P_5", "map"])) == expected[::-1]
    outputs = [
        write(f"{run}.tsv", "".join(f"{topic}\tAP\t.{topic}\n{topic}\tRR\t.5\n" for topic in "12"))
        for run in "ab"
    ]
    assert [matrix.measure for matrix in read_measures(outputs, [])] == ["AP", "RR"]
    nev = write("a.nev", "1 AP= 0.1\n1 RR= 0.5\n2 AP= 0.2\n2 RR= 1.0\n")
    assert [matrix.measure for matrix in read_measures([nev], [])] == ["AP", "RR"]


def test_what_cannot_be_told_apart_is_refused(write):
    wide = write("wide.csv", "topic,a,b\n1,.1,.2\n2,.3,.4\n")
    for measures in ([], ["AP", "RR"]):
        assert "log it by itself, with a single --measure" in refusal([wide], measures)
    twice = write("twice.csv", "run,topic,AP,map\na,1,.1,.1\na,2,.2,.2\n")
    assert "AP and map are one measure" in refusal([twice], [], layout="long")
    counts = write("counts.eval", trec_eval("a", COUNTED))
    assert "no measure, but num_ret, relstring_20" in refusal([counts], [])


def test_runs_that_spell_a_measure_in_two_ways_are_refused_and_not_dropped(write):
    for one, other, asked in (("AP", "map", "AP"), ("X", "x", "X"), ("P_5", "P@5", "P@5")):
        rows = f"a,1,{one},.1\na,2,{one},.2\nb,1,{other},.3\nb,2,{other},.4\n"
        long = write("long.csv", f"run,topic,measure,value\n{rows}")
        message = refusal([long], [asked])
        assert message.endswith(
            f"the measures {one}, {other} of this file could all be {asked}; choose one with"
            " --file-measure, and log that measure by itself."
        )
        assert refusal([long], [asked, "RR"]) == message
        assert f"{one} and {other} are one measure" in refusal([long], [])
        # Its exact name chooses rows, but not that a run be dropped.
        chosen = refusal([long], [asked], file_measure=other)
        assert f"the run a has scores of {one} in these files, and none of {other};" in chosen
    columns = write("columns.csv", "run,topic,AP,map\na,1,.1,.5\na,2,.2,.6\n")
    assert "AP, map of this file could all be AP; choose one" in refusal([columns], ["AP"])
    assert facts(read_measures([columns], ["AP"], file_measure="map")) == [
        ("map", ("a",), [[0.5], [0.6]])
    ]


def test_a_run_with_scores_of_other_measures_only_is_refused_and_not_dropped(write):
    apart = write(
        "apart.eval",
        "map\t1\t.1\nmap\t2\t.3\nrunid\tall\ta\nP_10\t1\t.1\nP_10\t2\t.3\nrunid\tall\tb\n",
    )
    message = (
        "the run {} has scores of {} in these files, and none of {}; give the run scores of it"
    )
    assert message.format("b", "P_10", "map") in refusal([apart], ["AP"])
    assert message.format("a", "map", "P_10") in refusal([apart], ["P@10"])
    rows = "a,1,X,.1\na,2,X,.2\nb,1,Y,n/a\nb,2,Y,\n"
    long = write("long.csv", f"run,topic,measure,value\n{rows}")
    assert message.format("b", "Y", "X") in refusal([long], ["X"])
    three = write("three.csv", f"run,topic,measure,value\n{rows}a,1,Z,.1\na,2,Z,.2\n")
    assert message.format("b", "Y", "X") in refusal([three], ["X", "Z"])
    strange = write(
        "strange.csv", f"run,topic,measure,value\na,1,X,.1\nb\x07,1,Y\x10{'y' * 500},.1\n"
    )
    assert f"the run 'b\\x07' has scores of 'Y\\x10{'y' * 97}…' in" in refusal([strange], ["X"])
    counted = write("counted.eval", trec_eval("a", A) + trec_eval("b", COUNTED))
    for measures in (["AP"], []):
        assert message.format("b", "num_ret", "map") in refusal([counted], measures)
    # The run's scores may stand in another of the files.
    other = write("b.eval", trec_eval("b", B))
    assert facts(read_measures([apart, other], ["AP"])) == [
        ("map", ("a", "b"), [[0.1, 0.5], [0.3, 0.6]])
    ]


def test_summaries_make_no_run_of_another_measure(write):
    rows = "a,1,X,.1\na,2,X,.2\nb,1,X,.3\nb,2,X,.4\n"
    summaries = "c,all,Y,.5\nc,mean,Y,.5\nd,ALL,X,.5\n"
    long = write("long.csv", f"run,topic,measure,value\n{rows}{summaries}")
    assert facts(read_measures([long], ["X"])) == [("X", ("a", "b"), [[0.1, 0.3], [0.2, 0.4]])]
    # Nor do they stand for the scores of single topics that a run lacks.
    long = write("long.csv", f"run,topic,measure,value\n{rows}c,all,X,.5\nc,1,Y,.5\n")
    assert "the run c has scores of Y in these files, and none of X" in refusal([long], ["X"])
    # A run's name is the same however its accents are written.
    rows = "\u00e9,1,X,.1\n\u00e9,2,X,.2\ne\u0301,1,Y,.3\n"
    long = write("long.csv", f"run,topic,measure,value\n{rows}")
    assert facts(read_measures([long], ["X"])) == [("X", ("\u00e9",), [[0.1], [0.2]])]


def test_the_file_that_is_wrong_is_named(write):
    whole = [write(f"{run}.eval", trec_eval(run, A)) for run in "ac"]
    partial = write("b.eval", trec_eval("b", {"map": [0.5, 0.6]}))
    files = [whole[0], partial, whole[1]]
    message = refusal(files, ["map", "ndcg_cut_10"])
    assert message.startswith(
        f"{partial}: the run b has scores of map in these files, and none of ndcg"
    )
    short = write("b.eval", trec_eval("b", {"map": [0.5]}))
    with pytest.raises(MissingScoresError) as caught:
        apply_missing_policy(read_scores(files, measure="map"), "reject")
    assert str(caught.value).startswith(f"{short}: 1 score is missing: topic 2 of run b")
    wide = [
        write(f"{topic}.csv", f"topic,a,b\n{topic},.5,{score}\n")
        for topic, score in ((1, ".2"), (2, ""), (3, ".4"))
    ]
    with pytest.raises(MissingScoresError) as caught:
        apply_missing_policy(read_scores(wide, measure="AP"), "reject")
    assert str(caught.value).startswith(f"{wide[1]}: 1 score is missing: topic 2 of run b")
