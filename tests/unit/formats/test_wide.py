import gzip

import numpy as np
import pytest

from roundbook.errors import BadFileError, MissingScoresError
from roundbook.formats import apply_missing_policy, read_scores


def read(tmp_path, content, **options):
    path = tmp_path / "scores.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_scores([path], **{"measure": "AP", **options})


def refusal(tmp_path, content, **options):
    with pytest.raises(BadFileError) as caught:
        read(tmp_path, content, **options)
    error = caught.value
    assert error.file.endswith("scores.csv")
    return error.reason, error.line, error.column


def test_reads_topics_down_and_runs_across(tmp_path):
    matrix = read(tmp_path, "topic,b,a\n2,0.5,1\n1,.25,-1e-2\n")
    assert (matrix.topics, matrix.runs) == (("2", "1"), ("b", "a"))
    assert matrix.scores.tolist() == [[0.5, 1.0], [0.25, -0.01]]
    assert (matrix.measure, matrix.layout) == (None, "wide")
    assert matrix.files == (str(tmp_path / "scores.csv"),)


def test_scores_are_the_transpose_of_a_run_by_topic_buffer(tmp_path):
    scores = read(tmp_path, "topic,a,b\n1,0.5,-0\n2,0.5,1\n3,0,0\n").scores
    assert scores.shape == (3, 2)
    assert scores.dtype == np.float64
    assert scores.T.flags.c_contiguous
    assert not np.signbit(scores).any()


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("first", ["topic", "query_id", "QID", "Topic ID", "", "anything"])
def test_delimiters_line_ends_and_first_headers(tmp_path, delimiter, end, first):
    lines = [f"{first}_a_b", "q1_0.1_", "", "q2_ 0.3 _1", "", ""]
    content = end.join(lines).replace("_", delimiter) if first != "query_id" else None
    content = content or end.join(["query_id,a,b", "q1,0.1,", "", "q2,0.3,1"])
    matrix = read(tmp_path, b"\xef\xbb\xbf" + content.encode())
    assert matrix.topics == ("q1", "q2")
    assert matrix.runs == ("a", "b")
    np.testing.assert_array_equal(matrix.scores, [[0.1, np.nan], [0.3, 1.0]])


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;"])
def test_the_line_that_tells_excel_the_separator_is_no_header(tmp_path, line):
    path = tmp_path / "f.csv"
    path.write_bytes(f"\ufeff{line}\r\ntopic;a;b\r\n1;0,5;0,25\r\n2;0;1\r\n".encode())
    matrix = read_scores([path], measure="AP")
    assert (matrix.topics, matrix.runs) == (("1", "2"), ("a", "b"))
    assert matrix.scores.tolist() == [[0.5, 0.25], [0, 1]]
    path.write_text(f"{line}\ntopic;a\n1;0,5\n2;x\n")
    with pytest.raises(BadFileError) as caught:
        read_scores([path], measure="AP")
    assert (caught.value.line, caught.value.column) == (4, 2)


def test_run_tags_are_taken_as_they_are(tmp_path):
    tags = ("a,b", "x+y", "f(g)/h\\i", 'in"ch', "Zürich", "10x20.prf.unipd.it", "run", "-")
    quoted = ",".join('"' + tag.replace('"', '""') + '"' for tag in tags)
    matrix = read(tmp_path, f"topic,{quoted}\n1,{','.join('01234567')}\n")
    assert matrix.runs == tags
    assert matrix.scores[0].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


def test_numeric_run_tags_need_a_header_that_is_one(tmp_path):
    assert read(tmp_path, "topic\t1\t2\n301\t.5\t.6\n").runs == ("1", "2")
    assert "looks like scores" in refusal(tmp_path, "301,0.5,0.6\n302,0.5,0.6\n")[0]


@pytest.mark.parametrize("cells", [("0.1", "0.2"), ("0,1", "1"), ("1", "0.5")])
def test_scores_in_the_place_of_topics_are_refused(tmp_path, cells):
    rows = "".join(f"{cell};0,3\n" for cell in cells)
    reason, line, column = refusal(tmp_path, f"a;b\n{rows}")
    assert (line, column) == (2, 1)
    assert reason.startswith("the first column, called 'a', holds numbers with decimals")
    assert "head it 'topic'" in reason
    assert read(tmp_path, f"topic;b\n{rows}").topics == cells
    assert read(tmp_path, "number;b\n301;0,3\n302;1\n").topics == ("301", "302")


def test_gzip_is_known_by_content(tmp_path):
    assert read(tmp_path, gzip.compress(b"topic,a\n1,0.5\n")).scores.tolist() == [[0.5]]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("1_000", "'1_000' is not a number"),
        ("\uff11", "'\uff11' is not a number"),
        ("0x1", "'0x1' is not a number"),
        ("1 2", "'1 2' is not a number"),
        ("abc", "'abc' is not a number"),
        ("nan", "'nan' is not a score; leave it out"),
        ("-Infinity", "'-Infinity' is not a score"),
        ("NA", "'NA' is not a score"),
        ("1e999", "'1e999' is too large; only scores within ±1e+100 are read"),
        ("1e308", "'1e308' is too large; only scores within ±1e+100 are read"),
        ("-1.1e100", "'-1.1e100' is too large"),
        ('"0,5"', "is written with a decimal comma, and others with a decimal point; write '0.5'"),
        ("9" * 5000, "is not a number"),
    ],
)
def test_a_cell_that_is_no_score_is_named_with_its_place(tmp_path, cell, reason):
    sentence, line, column = refusal(tmp_path, f"topic,a,b\n1,0,0\n\n2,0.5,{cell}\n")
    assert reason in sentence
    assert (line, column) == (4, 3)
    assert len(sentence) < 200


@pytest.mark.parametrize(
    ("content", "scores"),
    [
        ("topic;a;b\n1;0,5;0,25\n2;1;\n", [[0.5, 0.25], [1, np.nan]]),
        ("topic\ta\n1\t-,5e-1\n", [[-0.05]]),
        ('topic,a,b\n1,"0,5",1\n', [[0.5, 1]]),
        ("topic;a\n1;1,234\n2;0,123\n", [[1.234], [0.123]]),
        ("topic;a,b\n1;0,5\n", [[0.5]]),
        ("topic;a,b;c\n1;0,5;0,25\n", [[0.5, 0.25]]),
        ("topic,a;b\n1;2,0.5\n", [[0.5]]),
    ],
)
def test_decimal_commas_and_semicolons_that_can_be_nothing_else(tmp_path, content, scores):
    np.testing.assert_array_equal(read(tmp_path, content).scores, scores)


@pytest.mark.parametrize(
    ("content", "reason", "position"),
    [
        (
            "topic;a;b\n1;0.5;0,25\n",
            "the score '0,25' is written with a decimal comma, and others with a decimal point;"
            " write '0.25'",
            (2, 3),
        ),
        (
            "topic;a\n1;2\n2;1,234\n",
            "the comma in the score '1,234' may be a decimal comma or part thousands; write '1.234'"
            " or '1234'",
            (3, 2),
        ),
        ("topic;a\n1;1.234,5\n", "'1.234,5' is not a number", (2, 2)),
        ("topic;a\n1;0,5\n2;0,5,5\n", "'0,5,5' is not a number", (3, 2)),
        (
            "topic,a,b\n1,0,5,0,25\n",
            "expected 3 fields as in the header, found 5; where scores have decimal commas,"
            " separate columns by semicolons",
            (2, 4),
        ),
        (
            "topic,a,b,c,d\n1,0,5,1,0,25,0,75\n",
            "expected 5 fields as in the header, found 8; where scores have decimal commas,",
            (2, 6),
        ),
        (
            "q;a,b\n1;0,5\n",
            "the columns may be separated by commas or by semicolons; put names that hold one in"
            " double quotes",
            (1, None),
        ),
    ],
)
def test_commas_that_can_be_something_else(tmp_path, content, reason, position):
    refused = refusal(tmp_path, content)
    assert reason in refused[0]
    assert refused[1:] == position


@pytest.mark.parametrize(
    ("content", "reason", "position"),
    [
        ("topic,a,b\n1,0\n", "expected 3 fields as in the header, found 2", (2, 2)),
        ("topic,a,b\n1,0,1,2\n", "expected 3 fields as in the header, found 4", (2, 4)),
        ("topic,a\n1,0\n2,0\n1,0\n", "topic 1 already has a row on line 2", (4, 1)),
        ("topic,a,b, a \n1,0,0,0\n", "the run a already has column 2", (1, 4)),
        ("topic,a,\n1,0,0\n", "the run name is empty", (1, 3)),
        ("topic,a\n1,0\n ,0\n", "the topic name is empty", (3, 1)),
        ("topic,a\n", "there is a header and nothing below it", (1, None)),
        ("run,301,302\na,0,0\n", "transpose it", (1, 1)),
        ("System\t301\t302\na\t0\t0\n", "transpose it", (1, 1)),
        (",topic,a\n0,301,0.5\n", "the column 'topic' must be the first", (1, 2)),
        ("topic,score\n1,0.5\n", "names no run", (1, 2)),
        ('topic,a,"b\n1,0,0\n', "double quote is not closed", (1, 3)),
        ('topic,a\n"1"x,0\n', "text follows", (2, 1)),
        ("topic,a\x07\n1,0\n", "control or invisible character", (1, 2)),
        ("topic,a\u200b\n1,0\n", "control or invisible character", (1, 2)),
        ("topic,a\ufffe\n1,0\n", "control or invisible character", (1, 2)),
        ("topic,a\n\uffff1,0\n", "control or invisible character", (2, 1)),
        (f"topic,{'a' * 501}\n1,0\n", "has 501 characters; at most 500", (1, 2)),
        ("topic,a\nall,0.5\n", "no scores of single topics", (2, None)),
    ],
)
def test_what_is_not_a_wide_file(tmp_path, content, reason, position):
    refused = refusal(tmp_path, content)
    assert reason in refused[0]
    assert refused[1:] == position


def test_a_name_of_500_characters_is_read(tmp_path):
    assert read(tmp_path, f"topic,{'a' * 500}\n1,0\n").runs == ("a" * 500,)


def test_file_measure_makes_no_sense_for_a_wide_file(tmp_path):
    assert "names no measure" in refusal(tmp_path, "topic,a\n1,0\n", file_measure="map")[0]


@pytest.mark.parametrize("name", ["all", "mean", "Average", "amean"])
def test_a_last_row_of_means_is_left_out(tmp_path, name):
    matrix = read(tmp_path, f"topic,a,b\n1,0.1,\n2,0.25,1\n{name},0.175,1\n")
    assert matrix.topics == ("1", "2")


def test_all_is_left_out_whatever_it_holds_but_mean_is_not(tmp_path):
    assert read(tmp_path, "topic,a\n1,0.1\n2,0.2\nall,0.9\n").topics == ("1", "2")
    reason, line, _ = refusal(tmp_path, "topic,a\n1,0.1\n2,0.2\nmean,0.9\n")
    assert "is not the mean of the rows above" in reason
    assert line == 4
    reason, line, _ = refusal(tmp_path, "topic,a\n1,0.1\nall,0.9\n2,0.2\n")
    assert "looks like a summary among the topics" in reason
    assert line == 3


ROWS = "topic,a,b\n1,.1,.7\n2,.2,.5\n3,.6,.0\n"


@pytest.mark.parametrize("name", ["overall", "avg", "Mean:", "all (mean)", "Mittelwert", "351"])
def test_a_last_row_of_means_is_refused_whatever_its_name(tmp_path, name):
    reason, line, _ = refusal(tmp_path, f"{ROWS}{name},.3,.4\n")
    assert reason == (
        f"the last topic, {name!r}, has the means of the topics before it as scores; take it out,"
        " or if it is a topic, put it before another"
    )
    assert line == 5
    rounded = ROWS.replace(".6", ".6002")
    assert "has the means" in refusal(tmp_path, f"{rounded}{name},.3001,.4000\n")[0]
    assert "has the means" in refusal(tmp_path, f"{rounded}4,,.9\n{name},.3001,.525\n")[0]
    first, *above = ROWS.splitlines()
    matrix = read(tmp_path, "\n".join([first, f"{name},.3,.4", *above]))
    assert matrix.topics == (name, "1", "2", "3")


@pytest.mark.parametrize(
    "rows",
    [
        f"{ROWS}4,.3,.41\n",  # the mean of one run
        f"{ROWS}4,.3,\n",
        "topic,a,b\n1,.1,.7\n2,.2,.5\n3,.15,.6\n",  # few topics
        "topic,a\n1,.1\n2,.2\n3,.6\n4,.3\n",  # one run
        "topic,a,b\n1,.5,.5\n2,.5,.5\n3,.5,.5\n4,.5,.5\n",
        "topic,a,b\n1,0,1\n2,.5,.5\n3,1,0\n4,.5,.5\n",  # a score that others have too
    ],
)
def test_a_last_topic_that_may_hold_the_means_by_chance_is_a_topic(tmp_path, rows):
    assert len(read(tmp_path, rows).topics) == rows.count("\n") - 1


@pytest.mark.parametrize("row", ["1,0,1,2", "1,0,.5,.1,2", "1,0,5,0,5,1,1"])
def test_too_many_fields_that_are_no_decimal_commas(tmp_path, row):
    reason, *_ = refusal(tmp_path, f"topic,a,b\n{row}\n")
    assert reason == f"expected 3 fields as in the header, found {row.count(',') + 1}"


def test_files_are_merged_by_run_and_by_topic(tmp_path):
    for name, content in {
        "a": "topic,a\n1,0.1\n2,0.2\n",
        "b": "topic,b\n2,0.4\n3,0.5\n",
        "c": "topic,a\n3,0.3\n",
    }.items():
        (tmp_path / name).write_text(content)
    matrix = read_scores([tmp_path / name for name in "abc"], measure="AP")
    assert matrix.topics == ("1", "2", "3")
    np.testing.assert_array_equal(matrix.scores, [[0.1, np.nan], [0.2, 0.4], [0.3, 0.5]])


def test_a_score_in_two_files_is_refused_naming_both_places(tmp_path):
    (tmp_path / "one.csv").write_text("topic,x,a\n1,0,0.1\n2,0,0.2\n")
    (tmp_path / "two.csv").write_text("topic,a\n\n9,0.3\n2,0.2\n")
    with pytest.raises(BadFileError) as caught:
        read_scores([tmp_path / "one.csv", tmp_path / "two.csv"], measure="AP")
    assert str(caught.value).endswith(
        f"already has a score at {tmp_path / 'one.csv'}:3:3; keep one, or if the files are of"
        " different measures, log them one by one."
    )
    assert str(caught.value).startswith(f"{tmp_path / 'two.csv'}:4:2: ")


def test_a_score_missing_in_one_of_two_files_names_that_file(tmp_path):
    for name, content in (("a.csv", "topic,a\n1,0.5\n2,0.4\n"), ("b.csv", "topic,b\n1,0.5\n2,\n")):
        (tmp_path / name).write_text(content)
    matrix = read_scores([tmp_path / "a.csv", tmp_path / "b.csv"], measure="AP")
    with pytest.raises(MissingScoresError) as caught:
        apply_missing_policy(matrix, "reject")
    assert caught.value.file == str(tmp_path / "b.csv")
    assert caught.value.cells == (("2", "b"),)
