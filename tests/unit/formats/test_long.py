import numpy as np
import pytest

from roundbook.errors import AmbiguousLayoutError, BadFileError
from roundbook.formats import read_scores
from roundbook_cli.ways_out import sentence


def read(tmp_path, content, **options):
    path = tmp_path / "scores"
    path.write_text(content, encoding="utf-8")
    return read_scores([path], **{"measure": "AP", **options})


def refusal(tmp_path, content, **options):
    with pytest.raises(BadFileError) as caught:
        read(tmp_path, content, **options)
    return caught.value.reason, caught.value.line, caught.value.column


def test_columns_in_any_order_case_and_spelling(tmp_path):
    matrix = read(
        tmp_path,
        "Score\tTeam\tQuery-ID\tRunID\tMetric\n"
        ".5\tX\tq1\tb\tmap\n.4\tX\tq1\tb\tP_5\n.25\tX\tq2\ta\tmap\n",
    )
    assert (matrix.topics, matrix.runs) == (("q1", "q2"), ("b", "a"))
    np.testing.assert_array_equal(matrix.scores, [[0.5, np.nan], [np.nan, 0.25]])
    assert (matrix.measure, matrix.layout) == ("map", "long")


def test_without_a_measure_column(tmp_path):
    matrix = read(tmp_path, "topic;run;value\n1;a;0.5\n1;b;\n")
    assert matrix.measure is None
    np.testing.assert_array_equal(matrix.scores, [[0.5, np.nan]])


def test_a_weaker_word_gives_way_to_a_stronger(tmp_path):
    matrix = read(tmp_path, "qid,query,run,system,score\n1,black bears,a,bm25,.5\n")
    assert (matrix.topics, matrix.runs) == (("1",), ("a",))


def test_one_column_a_measure_as_gdeval_writes(tmp_path):
    content = "runid,topic,ndcg@20,err@20\na,1,0.5,0.1\na,2,0.25,0.2\na,amean,0.375,0.15\n"
    matrix = read(tmp_path, content, measure="nDCG@20")
    assert (matrix.topics, matrix.runs, matrix.measure) == (("1", "2"), ("a",), "ndcg@20")
    assert matrix.scores.ravel().tolist() == [0.5, 0.25]


def test_numeric_tags_in_a_file_with_one_column_a_measure_are_ambiguous(tmp_path):
    content = "topic,run,map\n1,1,0.5\n"
    with pytest.raises(BadFileError) as caught:
        read(tmp_path, content)
    assert sentence(caught.value).endswith("; choose with --layout wide or --layout long.")
    with pytest.raises(AmbiguousLayoutError):
        read(tmp_path, content)
    assert read(tmp_path, content, layout="long").runs == ("1",)
    assert read(tmp_path, content, layout="wide").runs == ("run", "map")


def test_rows_of_all_are_left_out_anywhere(tmp_path):
    matrix = read(tmp_path, "topic,run,score\nall,a,1\n1,a,.5\nall,b,n/a\n1,b,.4\n")
    assert (matrix.topics, matrix.scores.tolist()) == (("1",), [[0.5, 0.4]])


def test_a_last_topic_of_means_is_refused_whatever_its_name(tmp_path):
    rows = [
        f"{run},{topic},{score}"
        for run, scores in (("a", (0.1, 0.2, 0.6, 0.3)), ("b", (0.7, 0.5, 0.0, 0.4)))
        for topic, score in zip(("1", "2", "3", "Mean:"), scores, strict=True)
    ]
    refused = refusal(tmp_path, "\n".join(["run,topic,value", *rows]))
    assert refused[0].startswith("the last topic, 'Mean:', has the means of the topics before it")
    assert refused[1] == 5


def test_run_tags_with_commas(tmp_path):
    assert read(tmp_path, 'topic,run,score\n1,"a, b",.5\n').runs == ("a, b",)


@pytest.mark.parametrize(
    ("content", "reason", "position"),
    [
        ("topic,run,value,score\n1,a,0,0\n", "'value' and 'score' could be meant", (1, 4)),
        ("topic,qid,run,score\n1,1,a,0\n", "'topic' and 'qid' could be meant", (1, 2)),
        ("topic,run,foo\n1,a,0\n", "needs a column 'value' or 'score'", (1, None)),
        ("topic,run,score\n1,a,0\n2,a,0\n1,a,1\n", "already has a score on line 2", (4, 1)),
        ("topic,run,score\n1,a,x\n", "'x' is not a number", (2, 3)),
        ("topic,run,score\n1,,0\n", "the run name is empty", (2, 2)),
        ("topic,run,score\n1,a\n", "expected 3 fields", (2, 2)),
        ("topic,run,score\nall,a,1\n", "no scores of single topics", (None, None)),
        ("topic,run,measure,score\n1,a,map,1\n1,a,P_5,1\n", "", None),
    ],
)
def test_what_is_not_a_long_file(tmp_path, content, reason, position):
    if position is None:
        assert read(tmp_path, content).scores.tolist() == [[1.0]]
        return
    refused = refusal(tmp_path, content)
    assert reason in refused[0]
    assert refused[1:] == position


def test_a_list_that_would_be_an_enormous_matrix_is_refused(tmp_path):
    rows = "".join(f"t{i},r{i},0\n" for i in range(6000))
    assert "6000 topics by 6000 runs" in refusal(tmp_path, "topic,run,score\n" + rows)[0]


def test_a_mean_that_the_first_run_lacks_is_refused_with_its_line(tmp_path):
    content = "topic,run,value\n1,a,0.5\nmean,b,0.5\n1,b,0.25\n2,a,0.5\n"
    reason, line, _ = refusal(tmp_path, content)
    assert "'mean' looks like a summary among the topics" in reason
    assert line == 3
